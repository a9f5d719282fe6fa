"""A character GPT learns to count in words, letter by letter: "one hundred nineteen, one hundred twenty".

Attention with scaled_dot_product_attention, LayerNorm, GELU, tied embeddings, AdamW with groups, gradient clipping and
a warm-up. At the end it counts on from numbers that it is given.

    facula run examples/char_gpt.py           on facula
    python examples/char_gpt.py               on PyTorch
"""

import argparse
import math

import torch
import torch.nn.functional as F
from torch import nn

from shared import progress, report

ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
TEENS = ["ten", "eleven", "twelve", *(ten + "teen" for ten in ("thir", "four", "fif", "six", "seven", "eigh", "nine"))]
TENS = [ten + "ty" for ten in ("twen", "thir", "for", "fif", "six", "seven", "eigh", "nine")]


def words(number):
    """A number below 1000 in words."""
    if number >= 100:
        rest = f" {words(number % 100)}" if number % 100 else ""
        return f"{ONES[number // 100]} hundred{rest}"
    if number >= 20:
        return TENS[number // 10 - 2] + (f"-{ONES[number % 10]}" if number % 10 else "")
    return (ONES + TEENS)[number]


def count(first, last):
    return "".join(words(number) + "\n" for number in range(first, last))


class Block(nn.Module):
    """Attention to what came before, then a layer of neurons; both add to the stream."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, letters, context, width=64, heads=4, layers=2):
        super().__init__()
        self.context = context
        self.letter = nn.Embedding(letters, width)
        self.position = nn.Embedding(context, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, letters, bias=False)
        self.head.weight = self.letter.weight
        nn.init.normal_(self.letter.weight, std=0.02)

    def forward(self, letters):
        x = self.letter(letters) + self.position(torch.arange(letters.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))

    @torch.no_grad()
    def complete(self, letters, length):
        """Add the likeliest letter, ``length`` times."""
        for _ in range(length):
            last = self(letters[:, -self.context :])[:, -1].argmax(1, keepdim=True)
            letters = torch.cat([letters, last], dim=1)
        return letters


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--context", type=int, default=64, help="number of letters that the model sees")
    parser.add_argument("--ahead", type=int, default=4, help="number of numbers to count on at the end")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    text = "".join(count(first, first + 20) for first in torch.randint(280, (300,)).tolist())
    alphabet = sorted(set(text))
    number = {letter: i for i, letter in enumerate(alphabet)}
    data = torch.tensor([number[letter] for letter in text])

    model = GPT(len(alphabet), args.context)
    print(f"{len(text)} letters of text, {sum(p.numel() for p in model.parameters())} parameters")
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=3e-3, betas=(0.9, 0.99))
    warm_up = 20
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm_up, 0.5 + 0.5 * math.cos(math.pi * step / args.steps))
    )

    losses = []
    for _ in progress(args.steps, losses):
        starts = torch.randint(len(data) - args.context - 1, (args.batch_size,)).tolist()
        batch = torch.stack([data[start : start + args.context + 1] for start in starts])
        logits = model(batch[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())

    report(loss=losses)
    model.eval()
    for first in (27, 68, 119, 298 - args.ahead):
        given, truth = count(first, first + 2), count(first + 2, first + 2 + args.ahead)
        letters = model.complete(torch.tensor([[number[letter] for letter in given]]), len(truth))
        answer = "".join(alphabet[i] for i in letters[0, len(given) :].tolist())
        verdict = "" if answer == truth else "   (wrong)"
        print(", ".join(given.split("\n")) + "… " + ", ".join(answer.strip("\n").split("\n")) + verdict)


if __name__ == "__main__":
    main()
