"""Run by Python when it starts, as this folder is on its path: ``torch`` is facula from then on."""

from tests.pytorch_suites.stand_in import be_torch

be_torch()
