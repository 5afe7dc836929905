"""How a claim of a source is written down, checked, and its check tried.

A claim is a quotation, an expression that says the same in code, and a function
that computes the truth by a route of its own. The verdict follows from the two:

    true       what the expression says is found in every case
    true if    ... in every case that meets an assumption, and not beyond it
    wrong      it is not found; `rather` says what is
    vague      nothing testable is said; `reading` is our reading of it
    history    no code can settle it: what people wrote or did, with a source
    opinion    no code can settle it: advice, praise or a guess

To add one, write a function under `@ledger.claim(…)` that returns a `finding`.
Its docstring is what the page says; `{= name :.2f }` in it is a number that the
finding holds.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from statement import Case, Statement


class Finding(NamedTuple):
    """What a check returns: its cases, and the numbers that its text quotes."""

    cases: list[Case]
    values: dict[str, Any]


def case(
    found: Any = True, *, within: Any = None, beyond: bool = False, **names: Any
) -> Case:
    """Give one instance of a claim; see Case."""
    return Case(found, within, beyond, names)


def finding(*cases: Any, **values: Any) -> Finding:
    """Gather what a check found. A nameless case may stand as its value."""
    whole = [
        found if isinstance(found, Case) else case(found) for found in cases
    ]
    return Finding(
        whole, {name: plain(value) for name, value in values.items()}
    )


def plain(value: Any) -> Any:
    """Turn exact numbers into floats, which a page can print."""
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return float(value) if isinstance(value, Decimal | Fraction) else value


class Ledger:
    """The claims of one source, in its order."""

    def __init__(self) -> None:
        self.claims: list[dict[str, Any]] = []

    def claim(
        self,
        key: str,
        place: str,
        quote: str,
        *,
        says: str,
        rather: str = "",
        needs: str = "",
        reading: str = "",
        same: str = "",
    ) -> Callable[[Callable[[], Finding]], Callable[[], Finding]]:
        """Enter a claim; the function below computes what is found.

        Args:
            key: its number, such as `000-16`, which links lead to.
            place: where in the source it stands; empty if we add it ourselves.
            quote: a short phrase of the source, in Markdown.
            says: the claim as an expression; see Statement.
            rather: what is right, as an expression, where the claim is wrong.
            needs: the assumption, in Markdown, where it holds only under one.
            reading: how we read it, in Markdown, if nothing testable is said.
            same: the number of an earlier claim that makes the same error.
        """
        entry = {
            "key": key,
            "place": place,
            "quote": quote,
            "says": says,
            "rather": rather,
            "needs": needs,
            "reading": reading,
            "same": same,
        }
        return self.enter(entry)

    def cited(
        self, key: str, place: str, quote: str, *, kind: str
    ) -> Callable[..., Any]:
        """Enter a statement that no code can settle.

        The function below has nothing but a docstring: why no code can, and
        what the literature says.

        Args:
            key: its number.
            place: where in the source it stands.
            quote: a short phrase of the source, in Markdown.
            kind: `history` or `opinion`.
        """
        if kind not in {"history", "opinion"}:
            raise ValueError(
                f"{key}: a kind is 'history' or 'opinion', not '{kind}'"
            )
        return self.enter(
            {"key": key, "place": place, "quote": quote, "kind": kind}
        )

    def enter(self, entry: dict[str, Any]) -> Callable[..., Any]:
        """Add an entry, and its function to it."""
        if entry["key"] in {known["key"] for known in self.claims}:
            raise ValueError(f"{entry['key']}: two claims have this number")
        self.claims.append(entry)

        def decorate(check: Callable[[], Finding]) -> Callable[[], Finding]:
            if not check.__doc__:
                raise ValueError(
                    f"{entry['key']}: say in a docstring what is found"
                )
            entry["check"] = check
            return check

        return decorate

    def judge(self) -> dict[str, dict[str, Any]]:
        """Run every check, and give by number what a page says of the claim."""
        return {entry["key"]: judged(**entry) for entry in self.claims}


def judged(
    *, key: str, check: Callable[[], Finding], **entry: Any
) -> dict[str, Any]:
    """Give an entry with its verdict, and which alterations its check caught.

    Raises:
        ValueError: entry and finding do not fit together; says how.
    """
    shown = entry | {
        "text": inspect.cleandoc(check.__doc__ or ""),
        "line": check.__code__.co_firstlineno,
        "code": body(check),
        "values": {},
        "altered": {},
    }
    if "kind" in entry:
        return shown | {
            "verdict": entry["kind"],
            "outcome": "",
            "needs": "",
            "reading": "",
        }

    cases, values = check()
    met = [case for case in cases if not case.beyond]
    beyond = [case for case in cases if case.beyond]
    if not met:
        raise ValueError(
            f"{key}: a finding has at least one case that is not beyond"
        )
    says = Statement(entry["says"])
    if not says.holds(met):
        outcome = "wrong"
    elif all(says.holds_in(case) for case in beyond):
        outcome = "true"
    else:
        outcome = "true if"
    check_words(key, entry, outcome, says, beyond)

    right = Statement(entry["rather"]) if entry["rather"] else says
    if entry["rather"] and not right.holds(met):
        raise ValueError(f"{key}: '{entry['rather']}' is not found either")
    # The check tells an alteration from the truth: it no longer holds (or, if
    # the claim is a comparison that is wrong, it now does).
    wanted = outcome == "wrong" and right is says
    altered = {
        text: right.holds(met, text) == wanted
        for text in right.alterations(met)
    }
    verdict = "vague" if entry["reading"] else outcome
    return shown | {
        "verdict": verdict,
        "outcome": outcome,
        "values": values,
        "altered": altered,
    }


def body(check: Callable[..., Any]) -> str:
    """Give a check's code, without the claim above it and the docstring."""
    source = textwrap.dedent(inspect.getsource(check))
    function = ast.parse(source).body[0]
    lines = source.splitlines()[function.body[0].end_lineno :]
    return textwrap.dedent("\n".join(lines)).strip()


def check_words(
    key: str,
    entry: dict[str, Any],
    outcome: str,
    says: Statement,
    beyond: list[Case],
) -> None:
    """Raise ValueError where the words do not fit the outcome."""
    if (outcome == "true if") != bool(entry["needs"]):
        raise ValueError(
            f"{key}: found '{outcome}', needs='{entry['needs']}'; a claim that "
            "fails beyond its assumption, and only such a claim, says its needs"
        )
    if beyond and outcome == "true":
        raise ValueError(
            f"{key}: it holds beyond its assumption too: drop `beyond`"
        )
    if entry["rather"] and outcome != "wrong":
        raise ValueError(
            f"{key}: found '{outcome}', so there is nothing to say `rather`"
        )
    if outcome == "wrong" and not entry["rather"] and not says.compares:
        raise ValueError(f"{key}: found wrong; say in `rather` what is right")
