"""Modules to export, written once for both libraries."""

from __future__ import annotations

from typing import Any, NamedTuple


class Case(NamedTuple):
    """A module and what it is called with."""

    module: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = {}
    shapes: Any = None


def cases(torch: Any) -> dict[str, Case]:
    """The modules, with the same weights in either library."""
    nn = torch.nn
    base: Any = nn.Module
    functional = torch.nn.functional

    def of(forward: Any, **state: Any) -> Any:
        """A module of a function, whose attributes are the keywords."""

        class Model(base):
            def __init__(self) -> None:
                super().__init__()
                for name, value in state.items():
                    setattr(self, name, value)

            def forward(self, x: Any, *others: Any) -> Any:
                return forward(self, x, *others)

        return Model()

    torch.manual_seed(0)
    rows, image = torch.randn(4, 6), torch.randn(2, 3, 8, 8)
    whole = torch.arange(4)
    batch = torch.export.Dim("batch", min=2, max=64)
    auto = torch.export.Dim.AUTO

    class Buffers(base):
        last: Any

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(()))
            self.register_buffer("last", torch.zeros(6))
            self.register_buffer("table", torch.ones(6), persistent=False)
            self.constant = torch.full((6,), 2.0)

        def forward(self, x: Any, scale: float = 1.0) -> Any:
            self.count.add_(1)
            self.last = self.last + x.sum(0)
            return {"y": x * self.table * scale + self.constant, "n": (self.count, 3, None)}

    class Nested(base):
        def forward(self, pair: Any, *, named: Any, mode: str = "add") -> Any:
            first, second = pair
            return first + second if mode == "add" else first - named["k"]

    found = {
        "linear": Case(nn.Linear(6, 3), (rows,)),
        "no_bias": Case(nn.Linear(6, 3, bias=False), (rows,)),
        "mlp": Case(nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2), nn.Softmax(-1)), (rows,)),
        "conv": Case(nn.Sequential(
            nn.Conv2d(3, 4, 3, stride=2, padding=1), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2)), (image,)),
        "evaluated": Case(nn.Sequential(
            nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Dropout(0.5), nn.AvgPool2d(2),
            nn.GroupNorm(2, 4)).eval(), (image,)),
        "dropout": Case(nn.Sequential(nn.Linear(6, 4), nn.Dropout(0.3)), (rows,)),
        "layer_norm": Case(nn.Sequential(nn.LayerNorm(6), nn.GELU(), nn.Tanh(), nn.Sigmoid(), nn.SiLU()), (rows,)),
        "embedding": Case(nn.Embedding(5, 3, padding_idx=0), (whole,)),
        "activations": Case(of(lambda self, x: (
            functional.leaky_relu(x), functional.elu(x), functional.softplus(x), functional.hardtanh(x),
            functional.log_softmax(x, 1), functional.mish(x), functional.hardswish(x), functional.selu(x),
            functional.relu6(x), functional.glu(x), functional.celu(x), functional.logsigmoid(x))), (rows,)),
        "losses": Case(of(lambda self, x, t: (
            functional.cross_entropy(x, t), functional.mse_loss(x, x * 2, reduction="sum"),
            functional.l1_loss(x, x * 2), functional.nll_loss(functional.log_softmax(x, 1), t),
            functional.binary_cross_entropy_with_logits(x, torch.sigmoid(x)),
            functional.smooth_l1_loss(x, x * 2))), (rows, whole)),
        "arithmetic": Case(of(lambda self, x: (x + 1, 1 - x, 2 / (x * x + 1), x**2, 2**x, -x, x // 2, x % 3, abs(x),
                                               x > 0, x == x, (x > 0) & (x < 1), x @ x.t())), (rows,)),
        "reductions": Case(of(lambda self, x: (x.sum(), x.sum(1), x.sum(dim=0, keepdim=True), x.mean(-1), x.max(1),
                                               x.amax((0, 1)), x.argmax(1), x.std(0), x.var(), x.prod(1), x.norm(),
                                               x.cumsum(0), x.logsumexp(1), x.all(), x.min())), (rows,)),
        ""
        ""
        ""
        "views": Case(of(lambda self, x: (x.view(-1), x.reshape(2, -1), x.permute(1, 0), x.transpose(0, 1),
                                          x.unsqueeze(0),
                                          x.squeeze(), x.expand(2, 4, 6), x.flatten(), x.t(), x.contiguous(),
                                          x.chunk(2, 1)[0], torch.split(x, 2)[1], x.unbind(0)[1], x.view_as(x),
                                          x.repeat(2, 1), x.narrow(0, 1, 2))), (rows,)),
        "indexing": Case(of(lambda self, x, i: (x[0], x[:, 1:], x[::2, None], x[..., 0], x[i], x[:, i], x[-1, 2:4],
                                                x.index_select(0, i), x.gather(0, i[None]))), (rows, whole)),
        "joining": Case(of(lambda self, x: (torch.cat([x, x]), torch.stack([x, x], 1), torch.where(x > 0, x, 0.0),
                                            x.masked_fill(x > 0, 1.0), torch.clamp(x, 0, 1), x.clamp(min=0),
                                            torch.triu(x), x.roll(1, 0), x.flip(0), torch.outer(x[0], x[1]))), (rows,)),
        ""
        ""
        ""
        "making": Case(of(lambda self, x: (x + torch.zeros(6), x + torch.ones(4, 6), torch.arange(3),
                                           torch.zeros_like(x),
                                           x.new_zeros(2, 3), torch.full((2,), 3.0), torch.tensor([1.0, 2.0]),
                                           torch.eye(2), x.clone(), torch.linspace(0, 1, 3))), (rows,)),
        "dtypes": Case(of(lambda self, x: (x.double(), x.to(torch.float64), x.long(), x.bool(), x.type_as(x),
                                           x.half().float())), (rows,)),
        ""
        ""
        ""
        "products": Case(of(lambda self, x: (torch.matmul(x, x.t()), torch.mm(x, x.t()),
                                             torch.bmm(x[None], x.t()[None]),
                                             torch.einsum("ij,kj->ik", x, x), torch.addmm(x.sum(1), x, x.t()),
                                             torch.baddbmm(x[None], x[None], torch.eye(6)[None]))), (rows,)),
        ""
        ""
        ""
        "attention": Case(of(lambda self, x: functional.scaled_dot_product_attention(x, x, x, is_causal=True)),
                          (image,)),
        ""
        ""
        ""
        "in_place": Case(of(lambda self, x: (x.add_(1), x.mul_(2), x.clone().fill_(0), torch.relu_(x * 1))[1]),
                         (rows,)),
        "written": Case(of(lambda self, x: _written(x.clone())), (rows,)),
        "buffers": Case(Buffers(), (rows,), {"scale": 2.0}),
        "nested": Case(Nested(), ([rows, rows * 2],), {"named": {"k": rows + 1}, "mode": "add"}),
        "unused": Case(of(lambda self, x: (x * 3, x.sum(0))[1]), (rows,)),
        "number": Case(of(lambda self, x: x * x.sum().item()), (rows,)),
        "batch": Case(nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2)), (rows,), {}, {"input": {0: batch}}),
        "any_size": Case(of(lambda self, x: x[:, 1:].sum(1) * 2), (rows,), {}, {"x": {0: auto, 1: auto}}),
        "same_size": Case(of(lambda self, x, y: x + y), (rows, rows * 2), {}, ({0: auto}, ({0: auto},))),
        "two_batches": Case(of(lambda self, x, y: torch.cat([x, y]).mean(0)), (rows, rows * 2), {},
                            ({0: batch}, ({0: batch},))),
    }  # fmt: skip
    return found


def _written(x: Any) -> Any:
    x[0] = 1.0
    x[1:, 2] = x[0, 0]
    x[:, 0] += 1
    return x * 2
