"""facula beside PyTorch's own operator database: every entry, aspect by aspect.

PyTorch tests itself with a database of some 700 operators, each with sample inputs and inputs that must raise. Here the
same samples go through both libraries. ``entries`` says which entries there are and how facula spells them,
``translate`` takes samples over and compares results, ``aspects`` are the questions asked of every entry, and
``expected.json`` is the list of answers known to be no. ``python -m tests.operator_database --expect`` writes that
list and docs/operators.md anew (``reasons`` tells why, where it is known); without ``--expect`` only the page is
written, and names of entries behind it have their answers printed.

It needs the oracle, ``pip install torch==2.13.0 expecttest``; the tests are skipped without it. ``golden`` has small
samples of all entries with PyTorch's answers, written by ``record`` and replayed without PyTorch.

Each aspect takes a number of samples from all over an entry's list (see ``aspects``): 40 for values, 24 for gradients,
8 for second gradients and other dtypes. Other seeds and numbers are a matter of options of the command.
"""
