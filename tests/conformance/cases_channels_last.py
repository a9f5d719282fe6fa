"""Images whose channels are last in memory: how results and gradients lie."""

from tests.conformance.observe import case


def images(torch, *shape):
    format = torch.channels_last if len(shape) == 4 else torch.channels_last_3d
    return torch.linspace(-1, 1, torch.Size(shape).numel()).reshape(shape).to(memory_format=format).requires_grad_()


def strides(torch, x, *functions):
    """Of each result, and of the gradient that leaves it."""
    found = []
    for function in functions:
        y = function(x)
        found.append([list(y.stride()), list(torch.autograd.grad(y.sum(), x)[0].stride())])
    return found


@case
def of_planes(torch):
    F = torch.nn.functional
    weight, other = torch.ones(4, 3, 2, 2), torch.ones(3, 4, 2, 2)
    return strides(
        torch, images(torch, 2, 3, 6, 6),
        lambda x: F.max_pool2d(x, 2), lambda x: F.max_pool2d(x, 3, 1), lambda x: F.avg_pool2d(x, 2),
        lambda x: F.adaptive_avg_pool2d(x, 2), lambda x: F.adaptive_max_pool2d(x, 2),
        lambda x: F.interpolate(x, scale_factor=2), lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
        lambda x: F.batch_norm(x, torch.zeros(3), torch.ones(3)), lambda x: F.batch_norm(x, None, None, training=True),
        lambda x: F.group_norm(x, 3), lambda x: F.instance_norm(x), lambda x: F.rms_norm(x, (6,)),
        lambda x: F.layer_norm(x, (6,)), lambda x: F.conv2d(x, weight), lambda x: F.conv_transpose2d(x, other),
        lambda x: F.pad(x, (1, 1, 1, 1)), lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"),
        lambda x: F.pad(x, (1, 1, 1, 1), mode="replicate"), lambda x: F.pixel_unshuffle(x, 2),
        lambda x: x.roll(1, 1), lambda x: x.roll((1, 2), (0, 3)), lambda x: x.roll(3, 1), lambda x: x.roll(1),
        lambda x: F.mse_loss(x, torch.ones_like(x)), lambda x: F.smooth_l1_loss(x, torch.ones_like(x)),
        lambda x: F.huber_loss(x, torch.ones_like(x), reduction="sum"),
    )  # fmt: skip


@case
def of_volumes(torch):
    F = torch.nn.functional
    weight = torch.ones(4, 3, 2, 2, 2)
    return strides(
        torch, images(torch, 2, 3, 4, 4, 4),
        lambda x: F.max_pool3d(x, 2), lambda x: F.avg_pool3d(x, 2), lambda x: F.adaptive_avg_pool3d(x, 2),
        lambda x: F.batch_norm(x, None, None, training=True), lambda x: F.conv3d(x, weight),
        lambda x: F.pad(x, (1, 1, 1, 1, 1, 1), mode="replicate"),
    )  # fmt: skip


@case
def of_weights(torch):
    F = torch.nn.functional
    found = []
    for x in (images(torch, 2, 3, 4, 4), images(torch, 2, 3, 4, 4).detach().contiguous()):
        for weight in (images(torch, 4, 3, 2, 2), torch.ones(4, 3, 2, 2, requires_grad=True)):
            y = F.conv2d(x, weight)
            found.append([list(y.stride()), list(torch.autograd.grad(y.sum(), weight)[0].stride())])
    return found
