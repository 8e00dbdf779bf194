"""What a declaration takes over, what it asks about, and what it leaves alone."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from starlette.datastructures import FormData
from tests.studio.loops import awaited

from discreet.studio.screens import declare
from discreet.studio.screens.declare import _answer, _differs, _moved, _same_but_labels
from discreet.studio.session_values import Answer, Declared
from discreet.workflow import Intruder, Schema


def form_of(schema, **changed):
    """Return a form that says what is declared, but for some answers."""
    fields = {}
    for i, attribute in enumerate(schema):
        fields[f"role-{i}"] = attribute.role
        fields[f"scale-{i}"] = attribute.scale.name
        fields[f"missing-{i}"] = ", ".join(map(str, attribute.missing))
    return fields | {name.replace("_", "-"): value for name, value in changed.items()}


def test_answers_are_read_from_a_form():
    attribute = SimpleNamespace(role="key", scale=SimpleNamespace(name="nominal"), label="old", missing=())
    assert _answer(FormData({}), 0, attribute) == Answer("key", "nominal", (), (), "old")
    form = FormData({"role-1": "other", "scale-1": "ordinal", "missing-1": " -9, ,NA,-9", "order-1": "2, 0,x,1",
                     "label-1": "l" * 300})  # fmt: skip
    assert _answer(form, 1, attribute) == Answer("other", "ordinal", ("-9", "NA"), (2, 0, 1), "l" * 200)


def test_what_differs_from_a_declaration():
    attribute = SimpleNamespace(role="key", scale=SimpleNamespace(name="nominal"), missing=(-9, "NA"))
    same = ("NA", "-9")
    assert not _differs(attribute, Answer("key", "nominal", same, (), "another label"))
    assert not _differs(attribute, Answer("key", "nominal", same, (0, 1, 2), ""))
    assert _differs(attribute, Answer("key", "nominal", same, (1, 0), ""))
    assert _differs(attribute, Answer("other", "nominal", same, (), ""))
    assert _differs(attribute, Answer("key", "ordinal", same, (), ""))
    assert _differs(attribute, Answer("key", "nominal", ("NA",), (), ""))


def test_levels_move_by_one_place():
    class Two:
        names = ("a", "b")

        def __len__(self):
            return 2

    schema = Two()
    answers = {name: Answer("key", "ordinal", ("x",), (0, 1, 2), "label") for name in "ab"}

    def order(move):
        moved = _moved(answers, schema, move)
        assert (moved["b"].role, moved["b"].missing, moved["b"].label) == ("key", ("x",), "label")
        return moved["a"].order, moved["b"].order

    assert order("1:0:down") == ((0, 1, 2), (1, 0, 2))
    assert order("1:2:up") == ((0, 1, 2), (0, 2, 1))
    assert order("1:0:up") == order("1:2:down") == order("1:9:up") == ((0, 1, 2), (0, 1, 2))
    assert order("0:1:up") == ((1, 0, 2), (0, 1, 2))
    assert order("7:0:down") == ((0, 1, 2), (1, 0, 2))  # the last there is
    assert order("1") == ((0, 1, 2), (1, 0, 2))


def test_without_a_file_there_is_nothing_to_declare(client):
    for answer in (client.get("/declare"), client.post("/declare"), client.post("/declare/scenarios")):
        assert str(answer.url).endswith("/open")


def test_a_declaration_is_taken_over_and_results_are_asked_about(desk):
    session = desk.session
    schema = session.schema
    place, built = schema.names.index("RENT"), schema.names.index("BUILT")
    answer = desk.post("/declare", form_of(schema) | {"then": "/risk"})
    assert str(answer.url).endswith("/risk")
    assert session.schema == schema
    assert f"Declared {len(schema)} attributes; keys: {', '.join(schema.keys)}." in str(session.decisions)
    desk.post("/declare/scenarios", {"count": "2", "name-0": "neighbour", "known-0": [str(place), str(built)],
                                     "name-1": "boss", "known-1": [str(place)]})  # fmt: skip
    assert session.scenarios == (Intruder("neighbour", ("RENT", "BUILT")), Intruder("boss", ("RENT",)))
    desk.post("/risk")
    risk = session.risk
    assert risk is not None
    # The same once more asks nothing and forgets nothing; another role asks.
    desk.post("/declare", form_of(schema))
    assert session.risk is risk
    page = desk.post("/declare", form_of(schema, **{f"role_{place}": "identifier"})).text
    assert "Change the declaration?" in page
    assert session.schema == schema
    answer = desk.post("/declare", form_of(schema, **{f"role_{place}": "identifier"}) | {"sure": "yes", "then": "/x"})
    assert str(answer.url).endswith("/declare")
    assert session.schema["RENT"].role == "identifier"
    assert session.risk is None
    # Who knew nothing but an identifier knows nothing that could be linked.
    assert session.scenarios == (Intruder("neighbour", ("BUILT",)),)
    assert not _same_but_labels(session.schema, schema)
    assert _same_but_labels(schema, schema)


def test_a_moved_level_stays_on_the_page(desk):
    schema = desk.session.schema
    place = next(i for i, a in enumerate(schema) if a.scale.name in ("nominal", "ordinal") and len(a.scale) > 2)
    order = ",".join(str(i) for i in range(len(schema[schema.names[place]].scale)))
    fields = form_of(schema) | {f"order-{place}": order, "move": f"{place}:0:down", "then": "/risk",
                                f"scale-{place}": "ordinal"}  # fmt: skip
    answer = desk.post("/declare", fields)
    assert str(answer.url).endswith("/declare")
    before, after = schema[schema.names[place]].scale.levels, desk.session.schema[schema.names[place]].scale.levels
    assert after == (before[1], before[0], *before[2:])


def test_intruders_are_kept_asked_about_and_refused(desk):
    session = desk.session
    first = str(session.schema.names.index("BUILT"))
    odd = {"name-0": " ", "known-0": [first], "name-1": "x", "known-1": ["-1", "q"]}
    desk.post("/declare/scenarios", {**odd, "count": "3", "name-2": "n" * 100, "known-2": ["99"]})
    assert session.scenarios == (Intruder("n" * 80, (session.schema.names[-1],)),)
    same = {"count": "1", "name-0": "x", "known-0": [first]}
    assert "One intruder is kept." in desk.post("/declare/scenarios", same).text
    assert "Intruders: x." in str(session.decisions)
    desk.post("/risk")
    desk.post("/declare/scenarios", same)
    assert session.risk is not None
    assert "intruders" not in session.drafts
    page = desk.post("/declare/scenarios", {"count": "0"}).text
    assert "Change the intruders?" in page
    assert len(session.scenarios) == 1
    page = desk.post("/declare/scenarios", {"count": "0", "sure": "yes"}).text
    assert "0 intruders are kept." in page
    assert (session.scenarios, session.risk) == ((), None)
    assert "Intruders: one who knows every key." in str(session.decisions)
    twice = {"count": "2", "name-0": "x", "known-0": [first], "name-1": "x", "known-1": [first]}
    page = desk.post("/declare/scenarios", twice).text
    assert session.scenarios == ()
    assert "intruders" in session.drafts


# ------------------------------------------------------------------------------------ without a server


def test_the_table_of_attributes_tells_what_is_missing_by_the_declaration_that_counts(alone, monkeypatch):
    shown = []
    monkeypatch.setattr(declare, "page", lambda *values, **context: shown.append((values, context)))
    session = alone.session
    awaited(declare.show(session))
    values, context = shown[0]
    assert values == (session, "declare.html", "declare")
    assert (context["shows"], context["many"]) == (("declare", "intruders"), 60)
    assert context["missing"] == session.opened.missing
    assert context["schema"] is session.schema
    names = session.schema.names
    session.declared = Declared(session.schema.with_roles(**{names[0]: "identifier", names[1]: "weight"}), {"x": 1})
    awaited(declare.show(session))
    assert shown[1][1]["missing"] == {"x": 1}
    assert shown[1][1]["linkable"] == list(names[2:])
    session.declared = session.opened = None
    assert awaited(declare.show(session)).headers["location"] == "/open"


def test_a_declaration_is_checked_and_then_counts(alone):
    session = alone.session
    schema, names = session.schema, session.schema.names
    assert alone.send(declare.declare, then="/risk", role_0="other") == "/risk"
    assert alone.parts == ("declaration",)
    work = alone.work
    assert (work.title, work.page, work.call) == ("Checking the declaration", "/risk", "declare")
    assert (work.arguments["given"], work.arguments["schema"]) == (session.given, schema)
    assert list(work.arguments["answers"]) == list(names)
    assert work.arguments["answers"][names[0]].role == "other"
    assert work.arguments["answers"][names[1]].role == schema[names[1]].role
    assert work.form == {"path": "/declare", "fields": {"role-0": ["other"], "sure": ["yes"]}, "draft": "declare"}
    assert session.drafts["declare"].fields == {"role-0": ["other"]}
    session.scenarios = (Intruder("who", names[:2]), Intruder("nobody", names[:1]))
    session.plan_made = True
    work.finish(Declared(schema, {}))
    assert (session.declared.schema, session.plan_made) == (schema, True), "what is the same forgets nothing"
    assert session.scenarios == (Intruder("who", names[1:2]),), "the first is an identifier"
    keys = ", ".join(schema.keys)
    assert session.decisions[-1]["what"] == f"Declared {len(schema)} attributes; keys: {keys}."
    assert session.versions["declaration"] == 1
    other = Schema(list(schema)[1:])
    work.finish(Declared(other, {}))
    assert (session.declared.schema, session.plan_made) == (other, False)
    session.given = None
    work.finish(Declared(schema, {}))
    assert session.declared.schema is other, "another file meanwhile"


@pytest.mark.parametrize(
    ("fields", "where"),
    [({"then": "/risk", "move": "0:0:up"}, "/declare"), ({"then": "/elsewhere"}, "/declare"), ({}, "/declare")],
)
def test_one_goes_on_only_to_where_one_may(alone, fields, where):
    assert alone.send(declare.declare, **fields) == where


def test_a_level_that_moved_is_kept_in_the_draft(alone):
    assert alone.send(declare.declare, move="0:0:down", order_0="0,1,2", order_1="1,0") == "/declare"
    draft = alone.session.drafts["declare"].fields
    assert (draft["order-0"], draft["order-1"], draft["order-2"]) == (["1,0,2"], ["1,0"], [""])
    assert alone.work.arguments["answers"][alone.session.schema.names[0]].order == (1, 0, 2)


def test_results_are_put_aside_only_after_a_question(alone):
    session = alone.session
    session.protected = {"x": ((), None)}
    assert alone.send(declare.declare, role_0=session.schema[session.schema.names[0]].role) == "/declare"
    assert len(session.worker.given) == 1, "nothing is said anew"
    assert alone.send(declare.declare, scale_0="nominal", then="/risk").startswith("/ask/")
    asked = alone.asked
    assert (asked["path"], asked["back"], asked["yes"]) == ("/declare", "/declare", "Change it")
    assert asked["fields"] == {"scale-0": ["nominal"], "then": ["/risk"]}
    assert asked["title"] == "Change the declaration?"
    assert asked["sentences"][0] == "Under the present declaration were worked out: one result of steps."
    assert len(session.worker.given) == 1
    assert alone.send(declare.declare, scale_0="nominal", sure="yes") == "/declare"
    assert len(session.worker.given) == 2


def test_intruders_know_what_is_left_to_know():
    who = Intruder("who", ("a", "b"))
    assert declare._without(who, {"a"}) == Intruder("who", ("b",))
    assert declare._without(who, set()) == who
    assert declare._without(who, {"a", "b", "c"}) is None


def test_intruders_are_taken_over_and_said(alone):
    session = alone.session
    names = session.schema.names
    last = len(names) - 1
    pairs = [("known-0", "1"), ("known-0", str(last)), ("known-0", "-1"), ("known-1", "1"), ("known-2", "1")]
    here = "/declare#intruders"
    assert alone.send(declare.scenarios, *pairs, count="2", name_0=" A ", name_1="", name_2="late") == here
    assert session.scenarios == (Intruder("A", (names[1], names[last])),)
    assert alone.parts == ("declaration", "intruders")
    assert (alone.said, session.drafts, session.versions["intruders"]) == (["One intruder is kept."], {}, 1)
    assert session.decisions[-1]["what"] == "Intruders: A."
    assert alone.send(declare.scenarios, *pairs[:2], count="1", name_0="A") == here
    assert (alone.said, session.drafts, session.versions["intruders"]) == ([], {}, 1)
    session.protected = {"x": ((), None)}
    assert alone.send(declare.scenarios, count="0").startswith("/ask/")
    asked = alone.asked
    assert (asked["path"], asked["fields"], asked["back"]) == ("/declare/scenarios", {"count": ["0"]}, here)
    assert (asked["title"], asked["yes"], len(asked["sentences"])) == ("Change the intruders?", "Change them", 2)
    assert len(session.scenarios) == 1
    assert alone.send(declare.scenarios, count="0", sure="yes") == here
    assert (session.scenarios, session.protected, session.risk) == ((), {}, None)
    assert alone.said == ["0 intruders are kept."]
    assert session.decisions[-1]["what"] == "Intruders: one who knows every key."
    both = [("known-0", "1"), ("known-1", "2")]
    assert alone.send(declare.scenarios, *both, count="2", name_0="A", name_1="B") == here
    assert alone.said == ["2 intruders are kept."]
    assert session.decisions[-1]["what"] == "Intruders: A, B."
    assert alone.send(declare.scenarios, *both, count="2", name_0="A", name_1="A") == here
    assert [one.name for one in session.scenarios] == ["A", "B"], "two of one name are refused"
    assert len(alone.said) == 1
    assert alone.send(declare.scenarios, ("known-0", "0"), count="1", name_0="A") == here
    assert len(session.scenarios) == 2, "an identifier is nothing to link by"
    assert session.drafts["intruders"].fields == {"known-0": ["0"], "count": ["1"], "name-0": ["A"]}
