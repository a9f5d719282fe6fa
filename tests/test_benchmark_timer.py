"""``utils.benchmark``, ``utils.collect_env`` and ``__config__``."""

from __future__ import annotations

import re
from typing import Any

import pytest

import facula
from facula.utils.benchmark import Compare, Measurement, TaskSpec, Timer, select_unit


def measured(times: list[float], **spec: Any) -> Measurement:
    return Measurement(1000, [t * 1000 for t in times], TaskSpec("x + 1", "pass", label="L", **spec))


def test_a_measurement_tells_median_and_spread() -> None:
    m = measured([1e-6, 2e-6, 3e-6], sub_label="s", description="d")
    assert (m.mean, m.median, m.iqr) == pytest.approx((2e-6, 2e-6, 1e-6))
    assert repr(m).splitlines()[1:] == [
        "L: s", "d", "  Median: 2.00 us", "  IQR:    1.00 us (1.50 to 2.50)",
        "  3 measurements, 1000 runs per measurement, 1 thread",
    ]  # fmt: skip
    assert (m.label, m.stmt, m.num_threads, m.has_warnings) == ("L", "x + 1", 1, True)


@pytest.mark.parametrize(("seconds", "unit"), [(5e-9, "ns"), (2e-6, "us"), (0.3, "ms"), (2.0, "s"), (100.0, "s")])
def test_units(seconds: float, unit: str) -> None:
    assert select_unit(seconds)[0] == unit


def test_a_table_has_a_row_for_each_statement() -> None:
    table = str(Compare([measured([2e-6], sub_label="a", description="d"), measured([3e-6], sub_label="b")]))
    lines = table.splitlines()
    assert " L " in lines[0] and re.search(r"a +\| +2\.0 +\| *$", lines[3]) and re.search(r"b +\| +\| +3\.0", lines[4])
    assert lines[-1] == "Times are in microseconds (us)."
    with pytest.raises(ValueError, match="Expected an instance of `Measurement`"):
        Compare([]).extend_results([1])  # type: ignore[list-item]


def test_a_statement_is_timed_on_one_thread() -> None:
    seen: list[int] = []
    names = {"seen": seen, "facula": facula}
    before = facula.get_num_threads()
    timer = Timer("seen.append(facula.get_num_threads())", globals=names)
    assert timer.timeit(10).number_per_run == 10 and set(seen) == {1} and facula.get_num_threads() == before
    blocked = timer.blocked_autorange(min_run_time=0.01)
    assert sum(blocked.raw_times) >= 0.01 and blocked.number_per_run >= 10
    assert timer.adaptive_autorange(max_run_time=0.05).median > 0
    with pytest.raises(ValueError, match="global_setup is C"):
        Timer(global_setup="int x;")


def test_reports_of_the_surroundings() -> None:
    from facula import __config__ as config
    from facula.utils.collect_env import get_pretty_env_info

    assert "NumPy" in get_pretty_env_info() and f"facula {facula.__version__}" in config.show()
    assert f"get_num_threads() : {facula.get_num_threads()}" in config.parallel_info()


def test_numbers_of_distributions_may_be_tensors() -> None:
    facula.manual_seed(0)
    expected = facula.empty(3).normal_(1.0, 2.0)
    facula.manual_seed(0)
    assert facula.empty(3).normal_(facula.tensor(1.0), facula.tensor(2.0)).equal(expected)
    with pytest.raises(TypeError, match=r"uniform_\(\): argument 'to' \(position 2\) must be float, not Tensor"):
        facula.empty(3).uniform_(0, facula.ones(2))
    assert 0 <= facula.randint(10, size=(1,)).item() < 10


def test_measurements_of_one_task_are_merged() -> None:
    one, other = TaskSpec("a", "pass"), TaskSpec("b", "pass")
    given = [Measurement(2, [4.0, 6.0], one), Measurement(5, [10.0], other), Measurement(4, [4.0], one)]
    merged = [(m.number_per_run, m.raw_times, m.stmt) for m in Measurement.merge(given)]
    assert merged == [(1, [2.0, 3.0, 1.0], "a"), (1, [2.0], "b")] and Measurement.merge([]) == []
