"""Stories about models and how they learn, in the manner of what people write."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import facula as torch
from facula import nn

from .stories import story

Compiled = Callable[..., Any]
F = nn.functional


def x23() -> Any:
    return torch.arange(6.0).reshape(2, 3) / 4 - 0.5


def leaf(*shape: int) -> Any:
    return torch.randn(shape, requires_grad=True)


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.mixes, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer("mask", torch.tril(torch.ones(8, 8)).bool())
        self.kept: Any = None

    def forward(self, x: Any, cache: Any = None) -> Any:
        b, t, c = x.shape
        q, k, v = (each.view(b, t, self.heads, -1).transpose(1, 2) for each in self.mixes(x).chunk(3, dim=-1))
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        n = k.shape[2]
        scores = scores.masked_fill(~self.mask[n - t : n, :n], float("-inf"))
        y = (scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c)
        return self.out(y), (k, v)


@story
def attention_with_a_cache(compiled: Compiled, note: Compiled) -> None:
    fast = compiled(Attention(8, 2))
    x = torch.randn(1, 6, 8)
    whole, _ = fast(x)
    note(whole)
    cache: Any = None
    with torch.no_grad():
        for i in range(6):
            y, cache = fast(x[:, i : i + 1], cache)
            note(y, cache[0].shape)


@story
def text_is_generated(compiled: Compiled, note: Compiled) -> None:
    embed, head = nn.Embedding(11, 8), nn.Linear(8, 11)
    mix = nn.GRUCell(8, 8)

    def step(token: Any, state: Any, temperature: float) -> Any:
        state = mix(embed(token), state)
        logits = head(state) / temperature
        return torch.multinomial(logits.softmax(-1), 1)[:, 0], state

    fast = compiled(step)
    token, state = torch.tensor([1, 2]), torch.zeros(2, 8)
    with torch.no_grad():
        for i in range(6):
            token, state = fast(token, state, 1.0 if i < 3 else 0.5)
            note(token, state)


@story
def a_beam_of_candidates(compiled: Compiled, note: Compiled) -> None:
    table = torch.randn(5, 5).log_softmax(-1)

    def step(scores: Any, last: Any, width: int) -> Any:
        total = scores[:, None] + table[last]
        best, at = total.flatten().topk(min(width, total.numel()))
        return best, at % 5, at // 5

    fast = compiled(step)
    scores, last = torch.zeros(1), torch.zeros(1, dtype=torch.long)
    for width in (2, 3, 3, 3, 2):
        scores, last, parents = fast(scores, last, width)
        note(scores, last, parents)


@story
def parts_are_switched_off_by_chance(compiled: Compiled, note: Compiled) -> None:
    class Deep(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])
            self.keep = 0.5

        def forward(self, x: Any) -> Any:
            for layer in self.layers:
                if not self.training or torch.rand(()) < self.keep:
                    x = x + layer(x).relu()
            return x

    model = Deep()
    fast = compiled(model)
    for seed in range(6):
        torch.manual_seed(seed)
        model.zero_grad()
        fast(x23()).sum().backward()
        note([p.grad for p in model.parameters()])
        model.train(seed < 3)
        model.keep = 0.5 + seed / 12


@story
def experts_that_are_chosen(compiled: Compiled, note: Compiled) -> None:
    gate, experts = nn.Linear(3, 2), nn.ModuleList([nn.Linear(3, 2) for _ in range(2)])

    def mixed(x: Any) -> Any:
        weights, chosen = gate(x).softmax(-1).max(-1)
        y = torch.zeros(x.shape[0], 2)
        for i, expert in enumerate(experts):
            where = (chosen == i).nonzero()[:, 0]
            if where.numel():
                y = y.index_add(0, where, expert(x[where]) * weights[where, None])
        return y

    fast = compiled(mixed)
    for i in range(4):
        gate.zero_grad()
        y = fast(torch.randn(4, 3) + i)
        y.sum().backward()
        note(y, gate.weight)


@story
def an_encoder_that_is_frozen_for_a_while(compiled: Compiled, note: Compiled) -> None:
    encoder, head = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU()), nn.Linear(4, 2)
    optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1, momentum=0.9)

    def step(x: Any) -> Any:
        optimizer.zero_grad()
        loss = head(encoder(x)).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    fast = compiled(step)
    for i in range(6):
        if i in (2, 4):
            encoder.requires_grad_(i == 4)
            encoder.train(i == 4)
        note(fast(torch.randn(5, 3)), encoder[0].weight, encoder[1].running_mean, head.weight)


@story
def gradients_that_are_gathered_over_batches(compiled: Compiled, note: Compiled) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)

    def forward_and_backward(x: Any, parts: int) -> Any:
        loss = model(x).square().mean() / parts
        loss.backward()
        return loss.detach()

    fast = compiled(forward_and_backward)
    for i in range(6):
        note(fast(torch.randn(2, 3), 3), model.weight)
        if i % 3 == 2:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()


@story
def two_networks_against_each_other(compiled: Compiled, note: Compiled) -> None:
    maker, judge = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.LeakyReLU(0.2), nn.Linear(4, 1))
    of_maker = torch.optim.Adam(maker.parameters(), lr=0.05, betas=(0.5, 0.9))
    of_judge = torch.optim.Adam(judge.parameters(), lr=0.05, betas=(0.5, 0.9))

    @compiled
    def judge_step(real: Any, noise: Any) -> Any:
        fake = maker(noise).detach()
        of_judge.zero_grad()
        mixed = torch.lerp(real, fake, torch.rand(len(real), 1)).requires_grad_()
        (slope,) = torch.autograd.grad(judge(mixed).sum(), mixed, create_graph=True)
        loss = judge(fake).mean() - judge(real).mean() + 10 * (slope.norm(2, dim=1) - 1).square().mean()
        loss.backward()
        of_judge.step()
        return loss.detach()

    @compiled
    def maker_step(noise: Any) -> Any:
        of_maker.zero_grad()
        loss = -judge(maker(noise)).mean()
        loss.backward()
        of_maker.step()
        return loss.detach()

    for _ in range(4):
        note(judge_step(torch.randn(4, 3), torch.randn(4, 2)), maker_step(torch.randn(4, 2)))
        note(maker.weight, judge[0].weight)


@story
def a_target_network_that_follows(compiled: Compiled, note: Compiled) -> None:
    online, target = nn.Linear(3, 2), nn.Linear(3, 2)
    target.load_state_dict(online.state_dict())
    optimizer = torch.optim.RMSprop(online.parameters(), lr=0.05)

    @compiled
    def learn(state: Any, action: Any, reward: Any, after: Any, done: Any) -> Any:
        with torch.no_grad():
            goal = reward + 0.9 * target(after).max(1).values * ~done
        value = online(state).gather(1, action[:, None])[:, 0]
        loss = F.smooth_l1_loss(value, goal)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_value_(online.parameters(), 0.5)
        optimizer.step()
        return loss.item()

    @compiled
    @torch.no_grad()
    def follow(tau: float) -> None:
        for p, q in zip(target.parameters(), online.parameters()):
            p.lerp_(q, tau)

    for i in range(5):
        done = torch.tensor([i == 2, False, True, False])
        loss = learn(torch.randn(4, 3), torch.tensor([0, 1, 1, 0]), torch.randn(4), torch.randn(4, 3), done)
        follow(0.1 if i < 3 else 0.5)
        note(round(loss, 4), online.weight, target.weight)


@story
def policies_and_their_logs(compiled: Compiled, note: Compiled) -> None:
    actor = nn.Linear(3, 2)

    def surrogate(states: Any, actions: Any, old: Any, advantages: Any, clip: float) -> Any:
        law = torch.distributions.Categorical(logits=actor(states))
        ratio = (law.log_prob(actions) - old).exp()
        clipped = ratio.clamp(1 - clip, 1 + clip) * advantages
        return -torch.min(ratio * advantages, clipped).mean() - 0.01 * law.entropy().mean()

    fast = compiled(surrogate)
    for clip in (0.2, 0.2, 0.1, 0.3):
        actor.zero_grad()
        fast(torch.randn(4, 3), torch.tensor([0, 1, 1, 0]), torch.randn(4) - 1, torch.randn(4), clip).backward()
        note(actor.weight)


@story
def a_variational_autoencoder(compiled: Compiled, note: Compiled) -> None:
    encoder, decoder = nn.Linear(4, 4), nn.Linear(2, 4)

    def loss_of(x: Any, beta: float) -> Any:
        mean, log_variance = encoder(x).chunk(2, -1)
        z = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        likely = F.binary_cross_entropy_with_logits(decoder(z), x, reduction="sum")
        apart = -0.5 * (1 + log_variance - mean.pow(2) - log_variance.exp()).sum()
        return likely + beta * apart, {"likely": likely.detach(), "apart": apart.detach()}

    fast = compiled(loss_of)
    for beta in (0.0, 1.0, 1.0, 4.0):
        encoder.zero_grad()
        loss, parts = fast(torch.rand(3, 4), beta)
        loss.backward()
        note(parts, encoder.weight)


@story
def noise_that_is_taken_away(compiled: Compiled, note: Compiled) -> None:
    model = nn.Linear(3, 2)
    alphas = torch.linspace(0.99, 0.9, 5).cumprod(0)

    def loss_of(x: Any) -> Any:
        t = torch.randint(0, 5, (x.shape[0],))
        noise, a = torch.randn_like(x), alphas[t][:, None]
        noisy = a.sqrt() * x + (1 - a).sqrt() * noise
        return F.mse_loss(model(torch.cat([noisy, t[:, None] / 5], 1)), noise)

    @torch.no_grad()
    def sampled(x: Any) -> Any:
        for i in reversed(range(5)):
            x = x - (1 - alphas[i]).sqrt() * model(torch.cat([x, torch.full_like(x[:, :1], i / 5)], 1))
            if i > 0:
                x = x + 0.1 * torch.randn_like(x)
        return x

    fast, slow = compiled(loss_of), compiled(sampled)
    for i in range(4):
        model.zero_grad()
        fast(torch.randn(3, 2)).backward()
        note(model.weight, slow(torch.randn(2 + i % 2, 2)))


@story
def pairs_that_belong_together(compiled: Compiled, note: Compiled) -> None:
    left, right, scale = nn.Linear(3, 2), nn.Linear(4, 2), nn.Parameter(torch.tensor(1.0))

    def loss_of(a: Any, b: Any) -> Any:
        a, b = F.normalize(left(a), dim=-1), F.normalize(right(b), dim=-1)
        logits = scale.exp() * a @ b.t()
        labels = torch.arange(len(logits))
        return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2

    fast = compiled(loss_of)
    for n in (3, 3, 5, 2):
        scale.grad = None
        fast(torch.randn(n, 3), torch.randn(n, 4)).backward()
        note(scale, left.weight)


@story
def graphs_of_neighbours(compiled: Compiled, note: Compiled) -> None:
    weight = leaf(3, 3)

    def spread(x: Any, edges: Any) -> Any:
        source, target = edges
        messages = (x @ weight)[source]
        degree = torch.zeros(x.shape[0]).scatter_add_(0, target, torch.ones(target.shape[0]))
        summed = torch.zeros_like(x).index_add_(0, target, messages)
        return (summed / degree.clamp(min=1)[:, None]).relu()

    fast = compiled(spread)
    for edges in ([[0, 1, 2], [1, 2, 0]], [[0, 1, 2], [0, 0, 0]], [[0, 1], [1, 2]], [[2, 1, 0, 1], [0, 1, 0, 2]]):
        weight.grad = None
        y = fast(torch.randn(3, 3), torch.tensor(edges))
        y.sum().backward()
        note(y, weight)


@story
def sequences_of_different_lengths(compiled: Compiled, note: Compiled) -> None:
    layer = nn.LSTM(2, 3, batch_first=True)

    def last(x: Any, lengths: Any) -> Any:
        found, _ = layer(x)
        mask = torch.arange(x.shape[1])[None] < lengths[:, None]
        at = (lengths - 1)[:, None, None].expand(-1, 1, found.shape[2])
        return found.gather(1, at)[:, 0], (found * mask[..., None]).sum(1) / lengths[:, None]

    fast = compiled(last)
    for t, lengths in ((4, [4, 2]), (4, [1, 3]), (6, [6, 5]), (5, [2, 2])):
        layer.zero_grad()
        a, b = fast(torch.randn(2, t, 2), torch.tensor(lengths))
        (a.sum() + b.sum()).backward()
        note(a, b, layer.weight_hh_l0)


@story
def layers_that_listen_to_a_condition(compiled: Compiled, note: Compiled) -> None:
    class Modulated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm, self.shift = nn.GroupNorm(1, 4, affine=False), nn.Linear(2, 8)
            self.conv = nn.Conv2d(4, 4, 3, padding=1)

        def forward(self, x: Any, condition: Any = None, *, strength: float = 1.0) -> Any:
            y = self.norm(x)
            if condition is not None:
                scale, shift = self.shift(condition)[..., None, None].chunk(2, 1)
                y = y * (1 + strength * scale) + shift
            return x + self.conv(F.silu(y))

    model = Modulated()
    fast = compiled(model)
    for condition, named in (
        (None, {}), (torch.ones(2, 2), {}), (torch.zeros(2, 2), {"strength": 0.5}), (None, {}), (torch.ones(2, 2), {}),
    ):  # fmt: skip
        model.zero_grad()
        y = fast(torch.randn(2, 4, 3, 3), condition, **named)
        y.mean().backward()
        note(y, model.conv.bias, model.shift.bias)


@story
def adapters_on_weights(compiled: Compiled, note: Compiled) -> None:
    class Adapted(nn.Module):
        def __init__(self, inner: nn.Linear) -> None:
            super().__init__()
            self.inner = inner.requires_grad_(False)
            self.down, self.up = nn.Parameter(torch.randn(1, 3)), nn.Parameter(torch.zeros(2, 1))
            self.is_on = True

        def forward(self, x: Any) -> Any:
            y = self.inner(x)
            return y + x @ self.down.t() @ self.up.t() if self.is_on else y

    model = nn.Sequential(Adapted(nn.Linear(3, 2)))
    fast = compiled(model)
    for i in range(5):
        model[0].is_on = i != 2
        y = fast(x23())
        note(y, y.requires_grad)
        if y.requires_grad:
            y.sum().backward()
            with torch.no_grad():
                for p in (model[0].down, model[0].up):
                    p.sub_(p.grad, alpha=0.1)
                    p.grad = None
        if i == 3:  # merged
            with torch.no_grad():
                model[0].inner.weight.add_(model[0].up @ model[0].down)
                model[0].up.zero_()
