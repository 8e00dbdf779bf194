"""The calls of an R script, with their arguments and lines, as far as a text can tell them without running it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = ["RCall", "RName", "is_literal", "r_calls"]

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\#[^\n]*)|(?P<line>\n)|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?L?)|(?P<name>`[^`]+`|[A-Za-z.][\w.]*(?:::[A-Za-z.][\w.]*)?)
    |(?P<arrow><<?-|->)|(?P<pipe>\|>|%>%)|(?P<operator>%[^%\s]*%|==|!=|<=|>=|&&|\|\||[-+*/^!<>&|~?@$:=,;(){}\[\]])""",
    re.VERBOSE,
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_CONSTANTS = {"TRUE": True, "FALSE": False, "T": True, "F": False, "NULL": None, "Inf": math.inf}
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_CONTROL = {"for", "while", "repeat", "if", "function", "{", "rm"}
_ANYTHING = {"source", "load", "attach", "assign", "eval", "list2env", "delayedAssign"}
"""Calls after which any name may stand for something else."""


@dataclass(frozen=True)
class RName:
    """A name that stands for something only a running R would know, an expression for instance."""

    text: str


@dataclass(frozen=True)
class RCall:
    """A call: its function, what it was given by place and by name, its line, and what its result was called.

    `literal` says of what is no call that it gives a name to a value which is written out, and does nothing else.
    """

    function: str
    places: tuple[Any, ...] = ()
    named: dict[str, Any] = field(default_factory=dict)
    line: int = 0
    result: str = ""
    literal: bool = False
    words: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """The names that stand in its statement, behind what the result is called."""
    piped: bool = field(default=False, compare=False, repr=False)
    """Whether its first argument is what the call before it in a chain of pipes gives."""

    def argument(self, name: str, place: int | None = None) -> Any:
        """Return what was given by this name, or at this place where there is no such name; else None."""
        if name in self.named:
            return self.named[name]
        return self.places[place] if place is not None and place < len(self.places) else None


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    line: int


def r_calls(text: str) -> Iterator[RCall]:
    r"""Yield the calls at the top of a script, in their order; what is no call comes as one of the function ``""``.

    A chain of pipes is taken apart: each call gets what was piped as its first argument. What stands in braces (loops,
    functions) is one call of its first word, whose contents are not looked into. A name that was given to a value which
    is written out, ``k <- 5``, stands for it from there on, until it may have changed.

    Examples
    --------
    >>> for call in r_calls("sdc <- kAnon(sdc, k = c(3, 5))  # why\nx$age[1:3] + 2"):
    ...     print(call.line, call.result, call.function, call.named)
    1 sdc kAnon {'k': [3, 5]}
    2   {}
    >>> [call.named for call in r_calls("least = 5\nkAnon(sdc, k = least)")]
    [{}, {'k': 5}]
    """
    tokens = list(_tokens(text))
    known: dict[str, Any] = {}
    place = 0
    while place < len(tokens):
        end = _statement_end(tokens, place)
        statement = [token for token in tokens[place:end] if token.kind != "line"]
        if statement:
            _forget(statement, known)
            words = tuple(token.text.strip("`") for token in statement if token.kind == "name")
            first = len(statement) > 1 and statement[0].kind == "name" and statement[1].text in ("<-", "<<-", "=")
            behind = words[1:] if first else words[:-1] if statement[-2:-1] and statement[-2].text == "->" else words
            for call in _statement(statement, known):
                yield replace(call, words=behind)
        place = end + 1


def is_literal(value: Any) -> bool:
    """Whether a value is written out, whole: nothing of it would have to be run.

    Examples
    --------
    >>> is_literal(["a", 3]), is_literal(["a", RName("x")])
    (True, False)
    """
    if isinstance(value, list | dict):
        return all(is_literal(one) for one in (value.values() if isinstance(value, dict) else value))
    return not isinstance(value, RName | RCall)


def _forget(tokens: list[_Token], known: dict[str, Any]) -> None:
    """Forget the names that a statement may change in another way than by giving them a value that is written out."""
    words = {token.text.strip("`\"'") for token in tokens}
    if words & _ANYTHING:
        known.clear()
    depth, assigned = 0, bool(words & _CONTROL)
    for place, token in enumerate(tokens):
        if token.kind == "operator":
            depth += (token.text in _CLOSING) - (token.text in _CLOSING.values())
        gives = token.kind == "arrow" or token.text == "%<>%" or (token.text == "=" and depth == 0)
        assigned |= gives and (place != 1 or token.text in ("->", "%<>%"))
    for word in words if assigned else ():
        known.pop(word, None)


def _tokens(text: str) -> Iterator[_Token]:
    line, place = 1, 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            yield _Token("other", text[place], line)
            place += 1
            continue
        kind = str(match.lastgroup)
        if kind != "space":
            yield _Token("line" if match.group() == ";" else kind, match.group(), line)
        line += match.group().count("\n")
        place = match.end()


def _statement_end(tokens: list[_Token], place: int) -> int:
    """Return where the statement ends that begins here: at a line's end outside brackets, nothing left open.

    Lines that are empty, or hold a comment alone, do not end what waits for something behind a pipe or an operator.
    """
    depth = 0
    before: _Token | None = None
    for end in range(place, len(tokens)):
        token = tokens[end]
        if token.text in _CLOSING and token.kind == "operator":
            depth += 1
        elif token.text in _CLOSING.values() and token.kind == "operator":
            depth -= 1
        elif token.kind == "line" and depth <= 0:
            waiting = before is not None and (
                before.kind in ("pipe", "arrow") or (before.kind == "operator" and before.text not in _CLOSING.values())
            )
            if not waiting:
                return end
        before = before if token.kind == "line" else token
    return len(tokens)


def _statement(tokens: list[_Token], known: dict[str, Any]) -> Iterator[RCall]:
    line, result = tokens[0].line, ""
    if len(tokens) > 2 and tokens[0].kind == "name" and tokens[1].text in ("<-", "<<-", "="):
        result, tokens = tokens[0].text, tokens[2:]
    elif len(tokens) > 2 and tokens[-2].text == "->":
        result, tokens = tokens[-1].text, tokens[:-2]
    parts, depth = [[]], 0  # type: list[list[_Token]], int
    for token in tokens:
        depth += (token.text in _CLOSING) - (token.text in _CLOSING.values()) if token.kind == "operator" else 0
        if token.kind == "pipe" and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    if len(parts) > 1:
        head = parts[0]
        piped: Any = RName("".join(token.text for token in head))
        if _is_call(head):
            yield _call(head, "", known)
        for place, part in enumerate(parts[1:], start=1):
            name = result if place == len(parts) - 1 else ""
            call = _call(part, name, known) if _is_call(part) else RCall("", line=part[0].line if part else line)
            yield RCall(
                call.function, (piped, *call.places), call.named, call.line, name, piped=place > 1 or _is_call(head)
            )
        known.pop(result.strip("`"), None)
        return
    value = _value(tokens, known) if result else RName("")
    if is_literal(value):
        known[result.strip("`")] = value
        yield RCall("", line=line, result=result, literal=True)
        return
    known.pop(result.strip("`"), None)
    yield _call(tokens, result, known) if _is_call(tokens) else RCall("", line=line, result=result)


def _is_call(tokens: list[_Token]) -> bool:
    """Whether these are one call and nothing behind it; a loop counts as the call of its first word."""
    if len(tokens) < 3 or tokens[0].kind != "name" or tokens[1].text != "(":
        return False
    return tokens[0].text in ("for", "while", "if", "function") or _closed(tokens, 1) == len(tokens) - 1


def _closed(tokens: list[_Token], place: int) -> int:
    """Return where the bracket closes that opens here, or the end."""
    depth = 0
    for end in range(place, len(tokens)):
        if tokens[end].kind == "operator":
            depth += (tokens[end].text in _CLOSING) - (tokens[end].text in _CLOSING.values())
        if depth == 0:
            return end
    return len(tokens)


def _call(tokens: list[_Token], result: str, known: dict[str, Any]) -> RCall:
    function = tokens[0].text.split("::")[-1].strip("`")
    if function in ("for", "while", "if", "function"):
        return RCall(function, line=tokens[0].line, result=result)
    places, named = [], {}
    for part in _separated(tokens[2:-1]):
        if len(part) > 1 and part[0].kind in ("name", "text") and part[1].text == "=":
            named[part[0].text.strip("`\"'")] = _value(part[2:], known)
        elif part:
            places.append(_value(part, known))
    return RCall(function, tuple(places), named, tokens[0].line, result)


def _separated(tokens: list[_Token]) -> Iterator[list[_Token]]:
    part: list[_Token] = []
    depth = 0
    for token in tokens:
        if token.kind == "operator":
            depth += (token.text in _CLOSING) - (token.text in _CLOSING.values())
        if token.text == "," and depth == 0 and token.kind == "operator":
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _value(tokens: list[_Token], known: dict[str, Any]) -> Any:
    """Return what these tokens stand for where a text can tell: texts, numbers, lists of them; else their name."""
    if len(tokens) == 2 and tokens[0].text in "+-" and (tokens[1].kind == "number" or tokens[1].text == "Inf"):
        number = _number(tokens[1].text)
        return -number if tokens[0].text == "-" else number
    if len(tokens) == 1:
        token = tokens[0]
        if token.kind == "text":
            return re.sub(r"\\(.)", lambda escape: _ESCAPED.get(escape[1], escape[1]), token.text[1:-1])
        if token.kind == "number":
            return _number(token.text)
        if token.text in _CONSTANTS:
            return _CONSTANTS[token.text]
        if token.kind == "name" and token.text.strip("`") in known:
            return known[token.text.strip("`")]
    if len(tokens) == 3 and tokens[1].text == ":" and {tokens[0].kind, tokens[2].kind} == {"number"}:
        ends = [float(_number(token.text)) for token in (tokens[0], tokens[2])]
        if all(one.is_integer() for one in ends) and abs(ends[1] - ends[0]) <= 100_000:
            first, last = map(int, ends)
            return list(range(first, last + 1) if first <= last else range(first, last - 1, -1))
    if _is_call(tokens):
        call = _call(tokens, "", known)
        if call.function == "c" and not call.named:
            return [one for value in call.places for one in (value if isinstance(value, list) else [value])]
        if call.function in ("c", "list"):
            return {**{str(place): value for place, value in enumerate(call.places)}, **call.named}
        if call.function == "seq" and not call.named and len(call.places) in (2, 3):
            return _sequence(call)
        return call
    return RName("".join(token.text for token in tokens))


def _sequence(call: RCall) -> Any:
    numbers = [one for one in call.places if type(one) is int or (type(one) is float and math.isfinite(one))]
    if len(numbers) < len(call.places):
        return call
    first, last, step = (*numbers, 1)[:3]
    count = int((last - first) / step + 1e-9) if step else -1
    return [first + place * step for place in range(count + 1)] if 0 <= count <= 100_000 else call


def _number(text: str) -> int | float:
    number = float(text.rstrip("L"))
    return int(number) if number.is_integer() and "e" not in text.lower() and "." not in text else number
