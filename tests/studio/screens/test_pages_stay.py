"""What every screen shows and asks for, on the walk from a sample to its release, with wrong turns.

Delete ``pages.json`` and run the test: it records what the present code shows, and fails once; a commit that does so
says why.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

from tests.cli.test_outputs_stay import words_of
from tests.measures.test_figures_stay import differences

RECORDED = Path(__file__).with_name("pages.json")
SEED = 77001
_TOLD = re.compile(r'\b(?:name|value|type|action|alt|checked|disabled|required|min|max|step)\b(?:="[^"]*")?')
WALK = [
    ("GET", "/open", {}),
    ("GET", "/open?rows=20", {}),
    ("GET", "/declare", {}),
    ("POST", "/declare/scenarios", {"count": "1", "name-0": "neighbour", "known-0": "2"}),
    ("POST", "/declare", {"role-0": "key", "role-1": "nonsense"}),
    ("GET", "/risk", {}),
    ("POST", "/risk", {}),
    ("GET", "/protect", {}),
    ("GET", "/protect?method=mdav", {}),
    ("GET", "/protect?method=local-suppression", {}),
    ("GET", "/protect?method=no-such", {}),
    ("POST", "/protect/add", {"method": "rounding", "p-base": "nought"}),
    ("POST", "/protect/add", {"method": "rounding", "p-base": "10"}),
    ("POST", "/protect/add", {"method": "rank-swapping", "p-p": "5"}),
    ("POST", "/protect/go", {"position": "1"}),
    ("POST", "/protect/add", {"method": "top-coding"}),
    ("POST", "/protect/go", {"other": "0"}),
    ("POST", "/protect/forget", {"other": "0"}),
    ("GET", "/compare", {}),
    ("GET", "/compare?method=mdav", {}),
    ("POST", "/compare/add", {"method": "rounding", "p-base": "10, 20"}),
    ("POST", "/compare/remove", {"number": "0"}),
    ("POST", "/compare/adopt", {"label": "no such"}),
    ("GET", "/attack", {}),
    ("GET", "/attack?linker=probabilistic", {}),
    ("POST", "/attack", {"linker": "distance", "held": "original"}),
    ("GET", "/release", {}),
    ("POST", "/release", {"risk_at_most": "1", "loss_at_most": "99"}),
    ("POST", "/release", {"risk_at_most": "much"}),
    ("GET", "/release/file/nothing", {}),
    ("GET", "/", {}),
    ("GET", "/no-such-page", {}),
]


def shown(answer, session):
    """The words of a page, and what its forms ask for."""
    text = answer.text.replace(session.root, "").replace(session.csrf, "TOKEN").replace(session.key, "PROJECT")
    text = text.replace(str(session.folder.parent), "FOLDER")
    text = re.sub(r"release-\w{8}", "release-FOLDER", text)
    text = re.sub(r"127\.0\.0\.1:\d+", "HERE", text)
    text = re.sub(r"(?s)<(svg|style|script)\b.*?</\1>", " ", text)
    fields = re.findall(r"<(?:input|select|textarea|button|form|img)\b[^>]*>", text)
    named = [" ".join(sorted(_TOLD.findall(one))) for one in fields]
    words = html.unescape(re.sub(r"<[^>]+>", "\n", text))
    return {"status": answer.status_code, "words": words_of(words, "/nowhere"),
            "fields": words_of("\n".join(one for one in named if "stamp" not in one), "/nowhere")}  # fmt: skip


def test_every_screen_shows_what_it_showed(desk):
    session = desk.session
    session.seed, session.seed_drawn = SEED, False
    pages = {}
    for number, (verb, path, data) in enumerate(WALK):
        files = {"none": (None, "")} if path == "/attack" and verb == "POST" else None
        answer = desk.get(path) if verb == "GET" else desk.post(path, data, **({"files": files} if files else {}))
        sent = " ".join(f"{name}={value}" for name, value in data.items())
        pages[f"{number:02d} {verb} {path} {sent}".strip()] = shown(answer, session)
    if not RECORDED.exists():
        text = ",\n".join(f"{json.dumps(key)}: {json.dumps(one, ensure_ascii=False)}" for key, one in pages.items())
        RECORDED.write_text("{\n" + text + "\n}\n", encoding="utf-8")
        raise AssertionError("recorded anew; look at the difference, and run the test again")
    expected = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert list(pages) == list(expected)
    assert [one for key in expected for one in differences(pages[key], expected[key], key)] == []
