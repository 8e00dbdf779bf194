"""The search of built pages that were opened from the disk, in a real browser where there is one."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from tools import offline_search

ROOT = Path(__file__).parent.parent.parent
SHIM = ROOT / "docs" / "scripts" / "search-from-disk.js"
CHROMIUM = os.environ.get("DISCREET_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


def test_the_index_becomes_a_script_beside_it(tmp_path):
    index = {"docs": [{"title": "a “quoted” title", "text": "</script> \u2028"}]}
    (tmp_path / "search").mkdir()
    (tmp_path / "search" / "search_index.json").write_text(json.dumps(index), encoding="utf-8")
    offline_search.on_post_build({"site_dir": str(tmp_path)})
    script = (tmp_path / "search" / "search_index.js").read_text(encoding="utf-8")
    assert json.loads(re.fullmatch(r"var __index = (.*);\n", script)[1]) == index
    assert script.isascii()


def test_the_pages_load_the_shim_and_nothing_from_elsewhere():
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"polyfills: [{SHIM.relative_to(ROOT / 'docs')}]" in config
    assert "tools/offline_search.py" in config
    assert "http" not in SHIM.read_text(encoding="utf-8")


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_a_worker_answers_on_a_page_from_the_disk(tmp_path):
    api = pytest.importorskip("playwright.sync_api")
    (tmp_path / "work").mkdir()
    worker = "self.addEventListener('message', event => self.postMessage(event.data.map(x => 2 * x)))"
    (tmp_path / "work" / "worker.js").write_text(worker, encoding="utf-8")
    shutil.copy(SHIM, tmp_path / "shim.js")
    # As the theme does it: the worker is made and spoken to before its script is there.
    page = """<!doctype html><title>t</title><script src="shim.js"></script><body><script>
    window.answers = []
    const worker = new Worker("work/worker.js")
    worker.addEventListener("message", event => answers.push(event.data))
    worker.postMessage([1, 2]); worker.postMessage([5])
    </script>"""
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page()
        tab.goto((tmp_path / "page.html").as_uri())
        tab.wait_for_function("answers.length == 2", timeout=60_000)
        assert tab.evaluate("answers") == [[2, 4], [10]]
        tab.evaluate("worker.postMessage([7])")
        tab.wait_for_function("answers.length == 3", timeout=60_000)
        assert tab.evaluate("answers[2]") == [14]
        browser.close()
