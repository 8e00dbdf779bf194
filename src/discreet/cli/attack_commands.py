"""``attack``, ``link`` and ``match``: what an intruder does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.console import out, print_json, progress, safe
from discreet.cli.options import (
    Data,
    Delimiter,
    Encoding,
    EngineName,
    Json,
    LinkerName,
    MaskedBy,
    MaskedByProtocol,
    MaskedFile,
    Master,
    Parameter,
    Quiet,
    SchemaFile,
    SequenceColumn,
    Verbose,
    declares,
    engine_of,
    given,
    reads_text,
    refuse_streamed,
    streamed_layout,
    tell_inferred,
)
from discreet.errors import ParameterError, SchemaError, UnknownNameError
from discreet.registry import unknown_name

__all__ = ["attack", "link", "match"]

SchemaOfSecond = Annotated[
    Path | None, typer.Option(help="The second file's own schema, if it has one.", show_default=False)
]

COMBINED = "combined"
"""All linkers that the release can be attacked by, together."""


@reads_text
@declares
def attack(
    original: Data,
    masked: MaskedFile,
    linker: LinkerName = "distance",
    attributes: Annotated[
        str | None, typer.Option(help="What the intruder knows, separated by commas.", show_default=False)
    ] = None,
    method: MaskedBy = None,
    protocol: MaskedByProtocol = None,
    parameter: Parameter = None,
    sequence: SequenceColumn = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    engine: EngineName = None,
    master: Master = None,
    *,
    layout: dict[str, Any],
    declared: Any,
) -> None:
    """Link a release back to the original, as an intruder would, and count the correct links.

    For example:

    discreet attack survey.csv masked.csv --schema survey.toml

    discreet attack survey.csv masked.csv -s survey.toml --attributes age,income --linker probabilistic --json

    discreet attack survey.csv masked.csv -s survey.toml --linker masking-aware --method 'rank-swapping p=10'

    discreet attack survey.csv masked.csv -s survey.toml --linker combined    (whom at least one linker finds)

    discreet attack big.parquet out/ -s big.toml --engine streaming    (beyond a million records, a sample of them)
    """
    from discreet import workflow

    linkers = None if linker == COMBINED else linker.split(",")
    typed = given(None, attributes, None, parameter or [])
    of_method, of_linker = _shared_out(typed, method or [])
    together = linkers is None or len(linkers) > 1
    if together and set(of_linker) - {"attributes"}:
        raise ParameterError(f"--set {min(set(of_linker) - {'attributes'})} is for one linker, and there are several.")
    parameters = {} if together else _linker_parameters(linker, of_linker)
    masking = None
    if linkers is None or any(workflow.knows_masking(name) for name in linkers):
        masking = workflow.masking_of(masked, methods=method or (), further=of_method, protocol=protocol)
    elif method or protocol:
        raise ParameterError(
            f"The linker {linker} has no use for how the file was masked.", hint="Use --linker masking-aware."
        )
    name = engine_of(original, engine, master, quiet=quiet or json)
    if name != "memory":
        refuse_streamed(sequence=sequence)
        layout = streamed_layout(original, delimiter=delimiter, encoding=encoding, **layout)
    before: Any
    file: Any
    with progress(quiet=quiet or json, verbose=verbose), workflow.engine_named(name, master) as where:
        if name == "memory":
            before = workflow.read(
                original, declared, delimiter=delimiter, encoding=encoding, **layout, sequence=sequence
            )
            file = workflow.read_release(masked, before, delimiter=delimiter, encoding=encoding, **layout)
        else:
            before = workflow.scan(original, declared, **layout)
            file = workflow.scan_release(masked, before, **layout)
        tell_inferred(before.schema, quiet=quiet or json)
        after = file if masking is None else workflow.told(before, file, masking[0])
        if together:
            names = of_linker["attributes"].split(",") if "attributes" in of_linker else None
            _show_together(
                workflow.attack_together(before, after, linkers, attributes=names, engine=where), linker, masking,
                _emptied(names or _common_keys(before, file), file), json=json,
            )  # fmt: skip
            return
        links = workflow.attack(before, after, linker, engine=where, **parameters)
    unused = _unused(links, parameters.get("attributes"), before, file)
    result = links.evaluate()
    low, high = result.interval()
    if json:
        print_json(
            {
                "linker": linker,
                **({} if masking is None else {"masking": repr(masking[0]), "masking_known": masking[1]}),
                "known": list(links.attributes),
                "left_out": unused,
                "n": result.n,
                **({} if result.n == len(before) else {"n_records": len(before)}),
                "expected": result.expected,
                "optimistic": result.optimistic,
                "pessimistic": result.pessimistic,
                **({} if result.second is None else {"second": result.second}),
                "chance": result.chance,
                "rate": result.rate,
                "interval": [low, high],
                **_of_others(result, parameters),
            }
        )
        return
    out.print(
        f"[bold]{result.expected:.1f} of {result.n} records linked correctly[/bold] ({100 * result.rate:.2f} %, "
        f"95 % interval {100 * low:.2f} to {100 * high:.2f} %); guessing finds {result.chance:.1f}."
    )
    if others := _of_others(result, parameters):
        out.print(
            f"He knew {others['known_links']} of these links before; of the other {others['others']} records he finds "
            f"{others['expected_of_others']:.1f} ({100 * others['rate_of_others']:.2f} %).",
            highlight=False,
        )
    if quiet:
        return
    if result.n < len(before):
        out.print(f"Compared: a sample of {result.n} of {len(before)} records, each with everybody.", highlight=False)
    out.print(f"Ties all for the intruder: {result.optimistic}; all against: {result.pessimistic}.")
    if result.second is not None:
        out.print(f"The true record is the second nearest for {result.second} more.")
    out.print(f"The intruder is assumed to know: {safe(', '.join(links.attributes))}.")
    _say_masking(masking)
    _say_what_was_left_out(links, unused, file)


def _of_others(result: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return what a linker that learned from some links finds of everybody else; nothing where none were known."""
    rows = [b for _, b in parameters.get("known", ())]
    if not rows:
        return {}
    others = result.n - len(rows)
    expected = float(result.expected - sum(result.probability[row] for row in rows))
    return {
        "known_links": len(rows),
        "others": others,
        "expected_of_others": expected,
        "rate_of_others": expected / others if others else 0.0,
    }


@reads_text
@declares
def link(
    a: Data,
    b: Annotated[Path, typer.Argument(help="The file whose records are looked up in the first.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The links, as .csv or .parquet.", show_default=False)],
    schema: SchemaFile = None,
    schema_b: SchemaOfSecond = None,
    linker: LinkerName = "probabilistic",
    attributes: Annotated[
        str | None, typer.Option(help="What to link on, separated by commas.", show_default=False)
    ] = None,
    parameter: Parameter = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    *,
    layout: dict[str, Any],
    declared: Any,
) -> None:
    """Link two files of any size: for every record of the second, who it is in the first.

    For example:

    discreet link register.csv survey.csv --schema both.toml --attributes age,town -o links.csv

    discreet link a.csv b.csv --linker structural --schema-b b.toml -o links.csv    (files that share no attribute)
    """
    from discreet import workflow

    inputs = [a, b, *(path for path in (schema, schema_b) if path)]
    parameters = workflow.parse_parameters("linker", linker, given(None, attributes, None, parameter or []))
    inputs += workflow.files_named(parameters)
    workflow.check_outputs([output], inputs)
    with progress(quiet=quiet or json, verbose=verbose):
        first = workflow.read(a, declared, delimiter=delimiter, encoding=encoding, **layout)
        declared_b = schema_b or (first.schema if workflow.shares_attributes(linker) else None)
        try:
            second = workflow.read(b, declared_b, delimiter=delimiter, encoding=encoding, **layout)
        except SchemaError:
            if schema_b is None and declared_b is not None:
                own = workflow.read(b, None, delimiter=delimiter, encoding=encoding, **layout)
                workflow.refuse_unshared(linker, first.schema.names, own.schema.names)
            raise
        links = workflow.link(first, second, linker, **parameters)
        with workflow.written_together([output], inputs, last=True):
            workflow.write_links(links, output, inputs)
    tell_inferred(first.schema, quiet=quiet or json)
    unused = _unused(links, parameters.get("attributes"), first, second)
    linked, tied = int((links.best >= 0).sum()), int((links.ties > 1).sum())
    decided = {} if links.decision is None else {"decided": int((links.decision == 2).sum())}
    if json:
        print_json({"linker": linker, "on": list(links.attributes), "left_out": unused, "n_a": links.n_a,
                    "n_b": links.n_b, "with_a_candidate": linked, "tied": tied, **decided})  # fmt: skip
        return
    if not quiet:
        sure = f", {decided['decided']} of them above the threshold of a link" if decided else ""
        out.print(f"{linked} of {links.n_b} records have a best candidate among {links.n_a}{sure}; {tied} are tied.")
        out.print(f"Linked on: {safe(', '.join(links.attributes))}. Written to {safe(str(output))}.")
        _say_what_was_left_out(links, unused, second)


@reads_text
@declares
def match(
    a: Data,
    b: Annotated[
        Path, typer.Argument(help="The file whose columns are looked for among those of the first.", show_default=False)
    ],
    schema: SchemaFile = None,  # noqa: ARG001 - what it declares comes as declared
    schema_b: SchemaOfSecond = None,
    by: Annotated[
        str, typer.Option(help="What columns are told by: marginal (distributions), association, both, or owa.")
    ] = "both",
    seed: Annotated[int, typer.Option(min=0, help="Where the random starts of the search come from.")] = 0,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    *,
    layout: dict[str, Any],
    declared: Any,
) -> None:
    """Say which numeric column of one file is which of another, whatever they are called.

    Two samples of one population, not of the same people: columns are told by their distributions and correlations.

    For example:

    discreet match survey.csv register.csv -s survey.toml --schema-b register.toml
    """
    from discreet import workflow

    with progress(quiet=quiet or json, verbose=verbose):
        first = workflow.read(a, declared, delimiter=delimiter, encoding=encoding, **layout)
        second = workflow.read(b, schema_b, delimiter=delimiter, encoding=encoding, **layout)
        matched = workflow.match_variables(first, second, method=by, random_state=seed)
    tell_inferred(first.schema, quiet=quiet or json)
    partners = {name for _, name in matched.pairs}
    alone = [[name for name in matched.first if name not in dict(matched.pairs)],
             [name for name in matched.second if name not in partners]]  # fmt: skip
    if json:
        print_json({"by": by, "pairs": [list(pair) for pair in matched.pairs], "only_in_a": alone[0],
                    "only_in_b": alone[1], "cost": matched.cost})  # fmt: skip
        return
    for name, other in matched.pairs:
        out.print(f"{safe(name)} is taken for {safe(other)}", highlight=False, soft_wrap=True)
    if not quiet:
        for names, which in zip(alone, ("first", "second"), strict=True):
            if names:
                out.print(f"Without a counterpart in the {which} file: {safe(', '.join(names))}.", soft_wrap=True)
        out.print("No pair is certain: of files that share nothing, columns are matched all the same.", style="dim")


def _shared_out(typed: dict[str, str], methods: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what was typed with --set by whom it is for: the method that masked the file, or the linker."""
    from discreet import workflow

    if len(methods) != 1 or len(methods[0].split()) != 1:
        return {}, typed
    masker = workflow.describe_methods(methods[0].strip()).get("maskers", {}).get(methods[0].strip(), {})
    names = set(masker.get("parameters", {})) - {"attributes"}
    return {n: v for n, v in typed.items() if n in names}, {n: v for n, v in typed.items() if n not in names}


def _linker_parameters(linker: str, typed: dict[str, str]) -> dict[str, Any]:
    """Return the parameters of one linker; of a name that there is none of, it is said that all may attack together."""
    from discreet import workflow

    try:
        return workflow.parse_parameters("linker", linker, typed)
    except UnknownNameError as error:
        names = [*workflow.kept_methods()["linkers"], COMBINED]
        if linker in names:  # of something else than the linker
            raise
        raise unknown_name("linker", linker, sorted(names)) from error


def _show_together(joint: Any, linker: str, masking: Any, emptied: Sequence[str], *, json: bool) -> None:
    """Say whom several linkers find between them."""
    emptied = [name for name in emptied if any(name not in used for used in joint.attributes.values())]
    if json:
        print_json(
            {
                "linker": linker,
                **({} if masking is None else {"masking": repr(masking[0]), "masking_known": masking[1]}),
                **({"left_out": emptied} if emptied else {}),
                "n": joint.n,
                "expected": joint.expected,
                "each": dict(joint.each),
                "all_of_them": joint.both,
                "chance": joint.chance,
                "rate": joint.rate,
            }
        )
        return
    out.print(
        f"[bold]{joint.expected:.1f} of {joint.n} records linked correctly by at least one linker[/bold] "
        f"({100 * joint.rate:.2f} %); as many guesses find {joint.chance:.1f}."
    )
    each = ", ".join(f"{name} {expected:.1f}" for name, expected in joint.each.items())
    out.print(f"Each alone: {safe(each)}; all of them: {joint.both:.1f}. Which is right he is not told: see `assess`.")
    _say_masking(masking)
    _say_emptied(emptied)


def _say_masking(masking: Any) -> None:
    if masking is not None:
        out.print(f"The intruder is told how the file was masked ({safe(masking[1])}): {safe(repr(masking[0]))}.")


def _common_keys(first: Any, second: Any) -> list[str]:
    return [name for name in first.schema.keys if name in second.schema]


def _unused(links: Any, attributes: Sequence[str] | None, first: Any, second: Any) -> list[str]:
    """Return what a linker left out of what it was to link on: too many keys, or keys that the release has none of."""
    if not links.attributes:
        return []
    asked = _common_keys(first, second) if attributes is None else attributes
    return [name for name in asked if name not in links.attributes]


def _emptied(names: Sequence[str], second: Any) -> list[str]:
    from discreet import workflow

    return workflow.emptied(second, names)


def _say_emptied(names: Sequence[str]) -> None:
    if names:
        out.print(f"Left out, for want of any value in the second file: {safe(', '.join(names))}.", highlight=False)


def _say_what_was_left_out(links: Any, unused: list[str], second: Any) -> None:
    emptied = _emptied(unused, second)
    _say_emptied(emptied)
    unused = [name for name in unused if name not in emptied]
    if unused:
        count = len(links.attributes)
        out.print(
            f"The linker used {count} of {count + len(unused)} keys, those on which fewest pairs agree by chance: who "
            f"uses the others too may find more. Left out: {safe(', '.join(unused))}."
        )
