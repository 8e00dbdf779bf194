"""What a report says first: whether the thresholds are met, what an intruder finds, and what it cost."""

from __future__ import annotations

from discreet.report.contents import Contents

__all__ = ["verdict_of"]


def verdict_of(contents: Contents) -> tuple[str, str, str]:
    """Return the verdict in three sentences, for whoever reads no further."""
    return _on_thresholds(contents), _on_risk(contents), _on_loss(contents)


def _on_thresholds(contents: Contents) -> str:
    verdicts = contents.verdicts
    missed = [verdict for verdict in verdicts if not verdict.met]
    if not verdicts:
        return "No threshold was set: whether the risk is low enough is for whoever decides."
    if missed:
        verb = "is" if len(missed) == 1 else "are"
        return f"{len(missed)} of {len(verdicts)} thresholds {verb} not met: not to be released like this."
    return "The threshold is met." if len(verdicts) == 1 else f"All {len(verdicts)} thresholds are met."


def _on_risk(contents: Contents) -> str:
    intruder, headline = contents.worst
    score, unmasked = headline.score, headline.unmasked
    least = "at least " if score.incomplete else ""
    who = f"“{score.intruder or intruder}”"
    beside = "" if unmasked is None else f", and {unmasked.risk:.1f} % in the unmasked file"
    return f"The intruder who finds most, {who}, re-identifies {least}{score.risk:.1f} % of the records{beside}."


def _on_loss(contents: Contents) -> str:
    score = contents.worst[1].score
    share = "less than 0.1" if 0 < score.loss < 0.05 else f"{score.loss:.1f}"
    column = f", most in {score.worst_column}" if score.worst_column else ""
    return f"For that, a cell lost {share} % of its information on average{column}."
