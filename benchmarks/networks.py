"""Training steps of networks: recurrent layers, a character GPT and PyTorch's own transformer layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .data import classes, draw, settled
from .workloads import Workload

NETWORKS: dict[str, Workload] = {}


def network(fn: Workload) -> Workload:
    NETWORKS[fn.__name__] = fn
    return fn


# ---- recurrent layers: batch 32, 50 steps, 32 -> 128, forward + backward + step


def recurrent(torch: Any, kind: str, width: int = 128) -> tuple[Callable[[], Any], int]:
    nn = torch.nn
    net = settled(torch, getattr(nn, kind)(32, width))
    head = settled(torch, nn.Linear(width, 10))
    optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=1e-3)
    x, y = draw(torch, 50, 32, 32), classes(torch, 32, below=10)

    def step() -> Any:
        optimizer.zero_grad()
        out, _ = net(x)
        loss = nn.functional.cross_entropy(head(out[-1]), y)
        loss.backward()
        optimizer.step()
        return loss

    return step, 1


@network
def lstm_step(torch: Any) -> tuple[Callable[[], Any], int]:
    return recurrent(torch, "LSTM")


@network
def gru_step(torch: Any) -> tuple[Callable[[], Any], int]:
    return recurrent(torch, "GRU")


@network
def rnn_step(torch: Any) -> tuple[Callable[[], Any], int]:
    return recurrent(torch, "RNN")


# ---- a character GPT: batch 8, 64 characters, 4 layers, 4 heads, width 128, AdamW


def _gpt(torch: Any, width: int = 128, heads: int = 4, layers: int = 4, length: int = 64, words: int = 65) -> Any:
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def attend(self, x: Any) -> Any:
            batch, time, _ = x.shape
            q, k, v = self.qkv(x).split(width, dim=2)
            q, k, v = (t.view(batch, time, heads, width // heads).transpose(1, 2) for t in (q, k, v))
            found = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.projection(found.transpose(1, 2).reshape(batch, time, width))

        def forward(self, x: Any) -> Any:
            x = x + self.attend(self.ln1(x))
            return x + self.down(F.gelu(self.up(self.ln2(x))))

    class GPT(nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.token, self.place = nn.Embedding(words, width), nn.Embedding(length, width)
            self.blocks = nn.Sequential(*[Block() for _ in range(layers)])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

        def forward(self, tokens: Any) -> Any:
            x = self.token(tokens) + self.place(torch.arange(tokens.shape[1]))
            return self.head(self.norm(self.blocks(x)))

    return settled(torch, GPT())


@network
def gpt_step(torch: Any) -> tuple[Callable[[], Any], int]:
    net = _gpt(torch)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)
    x, y = classes(torch, 8, 64, below=65), classes(torch, 8, 64, below=65, seed=2)

    def step() -> Any:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(x).view(-1, 65), y.view(-1))
        loss.backward()
        optimizer.step()
        return loss

    return step, 1


@network
def gpt_inference(torch: Any) -> tuple[Callable[[], Any], int]:
    net = _gpt(torch).eval()
    x = classes(torch, 8, 64, below=65)

    def step() -> Any:
        with torch.no_grad():
            return net(x)

    return step, 1


@network
def transformer_encoder_step(torch: Any) -> tuple[Callable[[], Any], int]:
    """Two of PyTorch's encoder layers, without dropout, on 8 sequences of 64 with padding."""
    nn = torch.nn
    layer = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, batch_first=True)
    net = settled(torch, nn.TransformerEncoder(layer, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    x = draw(torch, 8, 64, 128)
    padding = torch.from_numpy(np.arange(64) >= np.arange(64, 32, -4)[:, None])

    def step() -> Any:
        optimizer.zero_grad()
        loss = (net(x, src_key_padding_mask=padding) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    return step, 1
