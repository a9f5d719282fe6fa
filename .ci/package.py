"""Inspect the wheel and the sdist in a folder: what must be inside is, and what must not be is not."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main(folder: Path) -> None:
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    assert wheel.name.endswith("-py3-none-any.whl"), wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        about = Parser().parsestr(archive.read(metadata).decode())
    tops = {name.split("/")[0] for name in names}
    assert tops == {"facula", metadata.split("/")[0]}, f"beside the package: {tops}"
    assert not [name for name in names if "test_" in name or name.endswith((".pyc", ".so"))], "more than is needed"
    assert any(name.endswith("licenses/LICENSE") for name in names), "no licence"
    assert "facula/py.typed" in names, "no py.typed"
    package = ROOT / "src" / "facula"
    sources = {f"facula/{path.relative_to(package).as_posix()}" for path in package.rglob("*.py")}
    assert sources <= names, f"left out: {sorted(sources - names)[:5]}"
    for key, wanted in {"Name": "facula", "License-Expression": "BSD-3-Clause", "Requires-Python": ">=3.11"}.items():
        assert about[key] == wanted, f"{key}: {about[key]}"
    needed = [each for each in about.get_all("Requires-Dist", []) if "extra ==" not in each]
    assert needed == ["numpy>=2.3"], needed
    assert f"-{about['Version']}-" in wheel.name
    with tarfile.open(sdist) as files:
        inside = {name.partition("/")[2] for name in files.getnames()}
    missing = {"LICENSE", "README.md", "pyproject.toml", "src/facula/py.typed"} | {f"src/{name}" for name in sources}
    assert missing <= inside, f"not in the sdist: {sorted(missing - inside)[:5]}"
    print(f"{wheel.name}: {len(names)} files, {wheel.stat().st_size >> 10} KiB; {sdist.name}: {len(inside)} files")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
