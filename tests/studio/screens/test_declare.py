"""What a declaration takes over, what it asks about, and what it leaves alone."""

from __future__ import annotations

from types import SimpleNamespace

from starlette.datastructures import FormData

from discreet.studio.screens.declare import _answer, _differs, _moved, _same_but_labels
from discreet.studio.session_values import Answer
from discreet.workflow import Intruder


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
