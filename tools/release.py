"""Say whether everything is ready to publish a version, and build what is published.

    python tools/release.py [--kept FOLDER]

Refuses where files are not committed, where the version is not the same in the package, the citation and the changelog,
or where the changelog gives it no day. Then builds the wheel and the source distribution, and runs the demonstration
from the wheel in an empty environment (`tools/wheel_demo.py`). Nothing is uploaded: the last line says how.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def versions(root: Path = ROOT) -> dict[str, str]:
    """Return the version by where it stands; empty where it stands nowhere."""
    patterns = {
        "src/discreet/_version.py": r'__version__ = "([^"]+)"',
        "CITATION.cff": r"(?m)^version: (\S+)$",
        "CHANGELOG.md": r"(?m)^## \[(\d[^\]]*)\]",
    }
    found = {name: re.search(pattern, (root / name).read_text(encoding="utf-8")) for name, pattern in patterns.items()}
    return {name: match[1] if match else "" for name, match in found.items()}


def faults(root: Path = ROOT) -> list[str]:
    """Return what stands in the way, a sentence each."""
    everywhere = versions(root)
    version = everywhere["src/discreet/_version.py"]
    result = [
        f"{name} says {other or 'no version'}, and the package is {version}."
        for name, other in everywhere.items()
        if other != version
    ]
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"(?m)^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changelog):
        result.append(f"CHANGELOG.md has no heading '## [{version}] - YYYY-MM-DD'.")
    status = subprocess.run(["git", "status", "--porcelain"], cwd=root, capture_output=True, text=True, check=False)  # noqa: S607
    if status.returncode or status.stdout.strip():
        result.append(f"{len(status.stdout.splitlines())} files are not committed.")
    return result


def main(arguments: Sequence[str]) -> int:
    """Check, build, demonstrate."""
    parser = argparse.ArgumentParser(description="Build what is published, where everything is ready.")
    parser.add_argument("--kept", type=Path, default=ROOT / "dist", help="the folder to build into")
    options = parser.parse_args(arguments)
    found = faults()
    for sentence in found:
        print(sentence, file=sys.stderr)
    if found:
        return 1
    demo = [sys.executable, str(ROOT / "tools" / "wheel_demo.py"), "--kept", str(options.kept)]
    code = subprocess.run(demo, check=False).returncode  # noqa: S603
    if code == 0:
        print(f"Ready in {options.kept}. Tag it v{versions()['src/discreet/_version.py']}, and upload both files.")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
