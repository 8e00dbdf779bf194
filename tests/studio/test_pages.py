"""Pages as text: numbers as people write them, and addresses of the project."""

from __future__ import annotations

import pytest

from discreet.studio.pages import _environment, _number, compile_templates, render, to


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (None, 1, "–"), (1234567, 1, "1\u202f234\u202f567"), (999, 1, "999"), (1234.56, 1, "1\u202f234.6"),
        (0.5, 2, "0.50"), (-1234.0, 0, "-1\u202f234"),
    ],
)  # fmt: skip
def test_numbers_as_people_write_them(value, digits, text):
    assert _number(value, digits) == text
    assert _number(12.345) == "12.3"


def test_addresses_begin_with_the_project(monkeypatch):
    texts = {"x.html": '<a href="/open">a</a><img src="/static/i.png"><form action="/secret/p/1/end">{{ name }}</form>'}
    environment = _environment().overlay()
    environment.loader = type(environment.loader)("/nowhere")
    monkeypatch.setattr("discreet.studio.pages._environment", lambda: _Templates(environment, texts))
    page = render("x.html", root="/secret/p/1", name='" href="/evil')
    assert '<a href="/secret/p/1/open">' in page
    assert 'src="/static/i.png"' in page
    assert 'action="/secret/p/1/end"' in page
    assert "&#34; href=&#34;/evil" in page
    bare = render("x.html", name="n")
    assert '<a href="/open">' in bare
    assert 'action="/secret/p/1/end"' in bare


class _Templates:
    def __init__(self, environment, texts):
        self.environment, self.texts = environment, texts

    def get_template(self, name):
        return self.environment.from_string(self.texts[name])


def test_every_template_compiles_and_browsers_are_sent_on():
    compile_templates()
    answer = to("/open")
    assert (answer.status_code, answer.headers["location"]) == (303, "/open")
