"""Several processes teach one network to read digits: each looks at its share of them, gradients are averaged.

Shows init_process_group, DistributedSampler, DistributedDataParallel, all_reduce, a checkpoint that one process writes.

    facula run --nproc 2 examples/ddp_digits.py               on facula
    torchrun --nproc_per_node 2 examples/ddp_digits.py        on PyTorch

Without a launcher it is a group of one process.
"""

import argparse
import os
import tempfile

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from digits_cnn import Reader, draw
from shared import report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--digits", type=int, default=1600, help="number of digits to learn from")
    parser.add_argument("--batch-size", type=int, default=32, help="of each process")
    parser.add_argument("--tests", type=int, default=400, help="number of digits in the test set")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    if "RANK" in os.environ:
        dist.init_process_group("gloo")
    else:
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    rank, size = dist.get_rank(), dist.get_world_size()

    torch.manual_seed(args.seed)  # the same data and the same first weights everywhere
    labels, test_labels = torch.arange(args.digits) % 10, torch.arange(args.tests) % 10
    digits, tests = TensorDataset(draw(labels), labels), draw(test_labels)
    model = DistributedDataParallel(Reader())
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    sampler = DistributedSampler(digits, seed=args.seed)
    loader = DataLoader(digits, batch_size=args.batch_size, sampler=sampler)

    losses = []
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)  # another order in each epoch
        for pictures, answers in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(pictures), answers)
            loss.backward()  # gradients are averaged while it runs
            optimizer.step()
            mean = loss.detach().clone()
            dist.all_reduce(mean)
            losses.append(mean.item() / size)

    model.eval()
    with torch.no_grad():  # each process tries its share of the test
        right = (model(tests[rank::size]).argmax(1) == test_labels[rank::size]).sum()
    dist.all_reduce(right)
    if rank == 0:
        report(loss=losses)
        print(f"accuracy on {args.tests} new digits {right.item() / args.tests:.3f}, by {size} processes")
        with tempfile.TemporaryFile() as file:
            torch.save(model.module.state_dict(), file)  # written once
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
