"""``torch.utils.collect_env``: what a report of a mistake should tell; here it is what ``facula doctor`` prints."""

from __future__ import annotations

import contextlib
import io

from .. import _doctor

__all__ = ["get_pretty_env_info", "main"]


def get_pretty_env_info() -> str:
    """All of it in one text."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        _doctor.run()
    return text.getvalue()


def main() -> None:
    print(get_pretty_env_info(), end="")


if __name__ == "__main__":
    main()
