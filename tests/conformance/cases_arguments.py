"""What PyTorch says of arguments that its functions do not take."""

from tests.conformance.observe import case


def complaints(*calls):
    """The error of each call, with all of its text."""
    told = []
    for call in calls:
        try:
            call()
            told.append("no error")
        except Exception as e:
            told.append(f"{type(e).__name__}: {e}".replace("facula.", "torch."))
    return told


@case
def overloads_are_listed_with_what_does_not_match(torch):
    x = torch.ones(2)
    return complaints(
        lambda: torch.hsplit(x, foo=2),
        lambda: torch.hsplit(bar=x, foo=2),
        lambda: torch.hsplit(input=3, sections="a"),
        lambda: torch.hsplit(torch.nn.Parameter(x), "a"),
        lambda: torch.hsplit((x,), (1, 2.0)),
        lambda: torch.tensor_split(x, "a", 0),
        lambda: torch.where(x > 0, "a", x),
        lambda: torch.where(x, other=2, bar=3),
        lambda: torch.clamp(x, "a", "b"),
        lambda: torch.max(x, foo=1),
        lambda: torch.squeeze(x, "a"),
        lambda: torch.quantile(x, q="a"),
        lambda: torch.sum(),
        lambda: torch.std(x, unbiased="a", dim=0),
        lambda: x.view("a"),
        lambda: x.view(),
        lambda: x.sum("a"),
        lambda: x.sum(0, 1, 2, 3, 4),
        lambda: x.masked_fill(x > 0, []),
        lambda: x.masked_fill_(x > 0, [[]]),
        lambda: x.scatter_(0, "a", "b", reduce="x"),
        lambda: x.random_("a"),
    )


@case
def functions_in_python_say_what_those_say_that_get_their_arguments(torch):
    F = torch.nn.functional
    x, classes = torch.ones(2, 3), torch.tensor([0, 1])
    image = torch.ones(1, 1, 4, 4)
    return complaints(
        lambda: F.cross_entropy(None, classes),
        lambda: F.cross_entropy(x, "abc"),
        lambda: F.cross_entropy(x, classes, ignore_index=True),
        lambda: F.cross_entropy(x, classes, label_smoothing="abc"),
        lambda: F.cross_entropy(x, classes, reduction=[]),
        lambda: F.nll_loss(None, classes),
        lambda: F.mse_loss(x, None),
        lambda: F.kl_div(-1, x, reduction="none"),
        lambda: F.binary_cross_entropy_with_logits(x, x, pos_weight="abc"),
        lambda: F.triplet_margin_loss(x, x, None),
        lambda: F.cosine_embedding_loss(None, x, classes),
        lambda: F.multi_margin_loss(x, None),
        lambda: F.embedding(None, x),
        lambda: F.embedding(classes, x, padding_idx=True),
        lambda: F.embedding_bag(classes, None),
        lambda: F.one_hot(classes, 1.5),
        lambda: F.one_hot(None),
        lambda: F.one_hot(classes, num_classes="abc"),
        lambda: F.pad(None, (1, 1)),
        lambda: F.pad(x, "abc"),
        lambda: F.pad(x, (1, 1), value="abc"),
        lambda: F.dropout(None, 0.0),
        lambda: F.dropout(x, "abc"),
        lambda: F.dropout(x, 0.5, "abc"),
        lambda: F.alpha_dropout(x, 0.5, 1),
        lambda: F.glu(None),
        lambda: F.glu(x, None),
        lambda: F.softsign("abc"),
        lambda: F.rrelu(None),
        lambda: F.logsigmoid(None),
        lambda: F.max_pool1d(None, 2),
        lambda: F.max_pool2d(image, "abc"),
        lambda: F.adaptive_avg_pool2d(None, 2),
        lambda: F.grid_sample(None, image, align_corners=False),
        lambda: F.grid_sample(image, image, mode=[]),
        lambda: F.interpolate(None, 2),
        lambda: F.unfold(image, "abc"),
        lambda: F.batch_norm(None, None, None),
        lambda: F.batch_norm(x, None, None, training=True, eps=-1.0),
        lambda: F.scaled_dot_product_attention(None, x, x),
        lambda: F.normalize(None),
        lambda: F.elu(x, 1j),
    )


@case
def functions_around_others_say_what_those_say(torch):
    x = torch.ones(2, 3)
    return complaints(
        lambda: torch.split(None, 1),
        lambda: torch.split(x, "abc"),
        lambda: x.split(1.5),
        lambda: torch.norm(None),
        lambda: torch.norm(x, []),
        lambda: x.norm(2, "abc"),
        lambda: torch.unique(x, sorted="abc"),
        lambda: x.unique(dim="abc"),
        lambda: torch.stft(None, 4),
        lambda: torch.stft(x, "abc", center=False),
        lambda: torch.meshgrid(None, indexing="ij"),
        lambda: torch.meshgrid(x[0], indexing=3),
        lambda: torch.broadcast_tensors(x, None),
        lambda: torch.cartesian_prod(None),
        lambda: torch.atleast_1d("abc"),
        lambda: torch.atleast_2d(x, None),
        lambda: torch.tensordot(None, x, 1),
        lambda: torch.cdist(x, None),
        lambda: torch.cdist(x, x, compute_mode=None),
        lambda: torch.cat([x], None),
        lambda: torch.stack([x], dim=True),
        lambda: torch.tril_indices(True, 2),
        lambda: torch.resize_as_(None, x),
        lambda: torch.set_grad_enabled(1),
    )


@case
def arguments_of_several_forms_do_not_go_together(torch):
    x, places = torch.ones(2, 3), torch.zeros(2, 3, dtype=torch.long)
    return complaints(
        lambda: x.std(0, True, correction=2),
        lambda: torch.var(x, dim=0, unbiased=True, correction=None),
        lambda: x.scatter(0, places, x, value=3.0),
        lambda: x.hsplit(1, sections=1),
        lambda: x.max(0, True, other=x),
        lambda: x.view((6,), size=[6]),
    )


@case
def numbers_that_do_not_fit(torch):
    x = torch.ones(2, 2)
    return complaints(
        lambda: x.fill_(2**70),
        lambda: torch.full((2,), 2**70, dtype=torch.float64),
        lambda: x.masked_fill(x > 0, 2**70),
        lambda: torch.addmm(x, x, x, alpha=2**70),
        lambda: torch.addmm(x, x, x, beta=1j),
        lambda: x.addmm_(x.long(), x.long(), alpha=1j),
        lambda: torch.lerp(x, x, 1j),
        lambda: x.roll(2**70, 0),
        lambda: torch.atan2(2**70, x),
        lambda: torch.empty((1, True)),
        lambda: torch.empty((True, 1)),
        lambda: torch.zeros(2, requires_grad=None),
        lambda: torch.zeros(2, device=2**70),
    )


@case
def changes_in_place_tell_of_arguments_before_leaves_and_of_leaves_before_shapes(torch):
    leaf = torch.ones(2, 2, requires_grad=True)
    x, vector, whole = torch.ones(2, 2), torch.ones(3), torch.ones(2, 2, dtype=torch.long)
    told = []
    for t in (leaf, leaf[0:2], x):
        told += complaints(
            lambda t=t: t.addmm_(5, x),
            lambda t=t: t.addmm_(vector, x),
            lambda t=t: t.addmv_(x, None),
            lambda t=t: t.baddbmm_(x, "abc"),
            lambda t=t: t.lerp_(5, 1),
            lambda t=t: t.lerp_(x, None),
            lambda t=t: t.lerp_(whole, 1),
            lambda t=t: t.polygamma_(1.5),
            lambda t=t: t.mvlgamma_(x),
            lambda t=t: t.set_(5),
            lambda t=t: t.fill_("abc"),
            lambda t=t: t.fill_(vector),
            lambda t=t: t.clamp_("abc"),
            lambda t=t: t.clamp_(None),
            lambda t=t: t.pow_("abc"),
            lambda t=t: t.eq_(None),
            lambda t=t: t.add_(vector),
            lambda t=t: t.add_("abc"),
            lambda t=t: t.copy_(vector),
            lambda t=t: t.masked_fill_(vector > 0, 1),
        )
    return [line.partition("\n")[0] for line in told]
