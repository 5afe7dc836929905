"""How a claim of a source is written down, checked, and its check tried.

A claim is what a source says, in our words, an expression that says the same in
code, and a function that computes the truth by a route of its own. The verdict
follows from the two:

    true       what the expression says is found in every case
    true if    ... in every case that meets an assumption, and not beyond it
    wrong      it is not found; `rather` says what is
    vague      nothing testable is said; `reading` is our reading of it, in
               which it holds: a reading never makes a claim wrong
    question   it asserts nothing; the expression is our answer
    withdrawn  its author took it back; what holds is found all the same
    history    no code can settle it: what people wrote or did, with a source
    opinion    no code can settle it: advice, praise or a guess

A person chooses the quotation, the expression, the reading, the assumption, the
cases (also those `beyond`) and the tolerance. Code finds whether they agree.

A finding of our own is entered in the same way, by `ledger.ours(…)`. It is a
sentence of a page that was read off runs, and it names the arm that would have
refuted it, so its verdicts have other words:

    holds      the arm was run, and it did not refute it
    holds if   ... not where an assumption is met; beyond it, it did
    one rate   only one learning rate was tried
    suggested  no arm was run that could tell it from another explanation
    refuted    an arm refuted it; the sentence stands on no page any more

To add one, write a function under `@ledger.claim(…)` that returns a `finding`,
above `ledger.judge()`. What it finds is computed: a case of nothing but typed
numbers is refused. Its docstring is what the page says; `{= name :.2f }` in it
is a number that the finding holds.
"""

import ast
import hashlib
import inspect
import textwrap
import traceback
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from statement import Case, MisfitError, Statement

# What the outcome of a finding of our own is called, and lowered to by hand.
OURS = {"true": "holds", "true if": "holds if", "wrong": "refuted"}
WEAKER = ("one rate", "suggested")

# What is found of a claim.
FOUND = ("verdict", "outcome", "values", "strictness", "altered")

# What an earlier run found, by source and number, if of all that it read only
# the source's own module has changed since. The build of the site enters it
# (weave/run/worker.py); a ledger that is run by hand judges everything.
FOUND_BEFORE: dict[str, dict[str, dict[str, Any]]] = {}


class Finding(NamedTuple):
    """What a check returns: its cases, and the numbers that its text quotes."""

    cases: list[Case]
    values: dict[str, Any]


def case(
    found: Any = True,
    *,
    within: Any = None,
    beyond: bool = False,
    arm: bool = False,
    **names: Any,
) -> Case:
    """Give one instance of a claim; see Case."""
    return Case(found, within, beyond, names, arm)


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
    """The claims of one source, in its order.

    Args:
        file: the module that enters them: `Ledger(__file__)`.
    """

    def __init__(self, file: str) -> None:
        self.claims: list[dict[str, Any]] = []
        self.is_judged = False
        self.source = Path(file).stem
        self.code = Code(Path(file).read_text("utf-8"))

    def claim(
        self,
        key: str,
        place: str,
        said: str,
        *,
        says: str,
        settled: str,
        rather: str = "",
        needs: str = "",
        reading: str = "",
        question: bool = False,
        withdrawn: bool = False,
        theorem: str = "",
        same_need: str = "",
        same_error: str = "",
    ) -> Callable[[Callable[[], Finding]], Callable[[], Finding]]:
        """Enter a claim; the function below computes what is found.

        Args:
            key: its number, such as `000-16`, which links lead to.
            place: where in the source it stands; empty if we add it ourselves.
            said: what the source says there, in our words and in Markdown; only
                what stands between “ and ” is the source's.
            says: the claim as an expression; see Statement.
            settled: the section that settles it, such as `variance.md#puzzle`.
            rather: what is right, as an expression, where the claim is wrong.
            needs: the assumption, in Markdown, where it holds only under one.
            reading: how we read it, in Markdown, if nothing testable is said.
            question: whether it asserts nothing; then `says` is our answer.
            withdrawn: whether its author took it back.
            theorem: why no case could refute it, if it is a comparison that
                holds whatever is compared; the cases then only show it.
            same_need: a name for the assumption, if other claims need it too.
            same_error: a name for the error, if other claims contain it too.
        """
        entry = {
            "key": key,
            "place": place,
            "said": said,
            "says": says,
            "settled": settled,
            "rather": rather,
            "needs": needs,
            "reading": reading,
            "question": question,
            "withdrawn": withdrawn,
            "theorem": theorem,
            "same_need": same_need,
            "same_error": same_error,
        }
        return self.enter(entry)

    def ours(
        self,
        key: str,
        said: str,
        *,
        says: str,
        settled: str,
        runs: str,
        arm: str,
        otherwise: str,
        rather: str = "",
        needs: str = "",
        weaker: str = "",
    ) -> Callable[[Callable[[], Finding]], Callable[[], Finding]]:
        """Enter a finding of our own; the function computes what the arm gave.

        Its cases of the arm say so: `case(…, arm=True)`.

        Args:
            key: its number.
            said: the sentence, or a part of it, in the page's own words; `…`
                stands for what lies between. A refuted one stands nowhere.
            says: the same as an expression; see Statement.
            settled: the section where it stands, such as `growth.md#first`.
            runs: which they are, in Markdown: optimizer, rate, sizes, seeds.
            arm: which arm would have refuted it, in Markdown.
            otherwise: the other explanation that fits the same runs, likewise.
            rather: what is right, as an expression, where it is refuted.
            needs: the assumption, in Markdown, where it holds under one.
            weaker: `one rate` or `suggested`, where the arm was not run, or
                cannot tell the two explanations apart.

        Raises:
            ValueError: no arm is named, or no other explanation.
        """
        if not (arm and otherwise):
            raise ValueError(
                f"{key}: a finding of our own names the arm that would have "
                "refuted it, and the other explanation"
            )
        if weaker not in {"", *WEAKER}:
            raise ValueError(
                f"{key}: `weaker` is one of {WEAKER}, not '{weaker}'"
            )
        entry = {
            "key": key,
            "place": "",
            "said": said,
            "says": says,
            "settled": settled,
            "rather": rather,
            "needs": needs,
            "runs": runs,
            "arm": arm,
            "otherwise": otherwise,
            "weaker": weaker,
        }
        return self.enter(
            entry
            | dict.fromkeys(
                ("reading", "theorem", "same_need", "same_error"), ""
            )
            | {"question": False, "withdrawn": False}
        )

    def cited(
        self, key: str, place: str, said: str, *, kind: str, settled: str
    ) -> Callable[..., Any]:
        """Enter a statement that no code can settle.

        The function below has nothing but a docstring: why no code can, and
        what the literature says.

        Args:
            key: its number.
            place: where in the source it stands.
            said: what the source says there, as in `claim`.
            kind: `history` or `opinion`.
            settled: the section that speaks of it.
        """
        if kind not in {"history", "opinion"}:
            raise ValueError(
                f"{key}: a kind is 'history' or 'opinion', not '{kind}'"
            )
        return self.enter(
            {
                "key": key,
                "place": place,
                "said": said,
                "kind": kind,
                "settled": settled,
            }
        )

    def enter(self, entry: dict[str, Any]) -> Callable[..., Any]:
        """Add an entry, and its function to it."""

        def decorate(check: Callable[[], Finding]) -> Callable[[], Finding]:
            if not check.__doc__:
                raise ValueError(
                    f"{entry['key']}: say in a docstring what is found"
                )
            for known in self.claims:
                if known["key"] == entry["key"]:
                    raise ValueError(
                        f"two claims have the number {entry['key']}: "
                        f"{named(known['check'])} and {named(check)}"
                    )
            if self.is_judged:
                raise ValueError(
                    f"{place_of(check)}: {entry['key']}: it stands below "
                    "`ledger.judge()`, so nobody judges it: move it above"
                )
            entry["check"] = check
            self.claims.append(entry)
            return check

        return decorate

    def judge(self, only: str = "") -> dict[str, dict[str, Any]]:
        """Run every check, and give by number what a page says of the claim.

        A check is not run if an earlier run has found what it finds: if its
        code, and all else that it could read, is as it was.

        Args:
            only: the number of the one claim to judge; all without it.

        Raises:
            MisfitError: names every claim that does not fit, with its line.
        """
        fit, misfits = {}, []
        self.is_judged = True
        for entry in self.claims:
            if only in {"", entry["key"]}:
                try:
                    fit[entry["key"]] = shown(entry) | self.found(entry)
                except MisfitError as error:
                    misfits.append(str(error))
        if misfits:
            raise MisfitError("\n".join(misfits))
        return fit

    def found(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Give what an earlier run found of a claim, or judge it now."""
        judged_by = self.code.digest(entry["check"].__name__)
        before = FOUND_BEFORE.get(self.source, {}).get(entry["key"], {})
        if judged_by and before.get("judged_by") == judged_by:
            found = {name: before[name] for name in FOUND}
        else:
            found = judged(entry)
        return found | {"judged_by": judged_by}


class Part(NamedTuple):
    """Some of a module's code, and the names that it uses."""

    text: str
    names: set[str]


class Code:
    """The code of a source's module: that of each claim, and the rest.

    Args:
        source: the whole module.
    """

    def __init__(self, source: str) -> None:
        self.claims: dict[str, Part] = {}  # by the function's name
        rest: list[ast.AST] = []
        for statement in ast.parse(source).body:
            if isinstance(statement, ast.FunctionDef) and any(
                ast.unparse(decorator).startswith("ledger.")
                for decorator in statement.decorator_list
            ):
                # Without the docstring, which judges nothing.
                code = [*statement.decorator_list, *statement.body[1:]]
                self.claims[statement.name] = part_of(code)
            else:
                rest.append(statement)
        self.rest = part_of(rest)

    def digest(self, claim: str) -> str:
        """Tell the code that judges a claim from what it was.

        Of the other claims' functions it has those that are called. What the
        page says of the claim, in the docstring, judges nothing.

        Args:
            claim: the name of its function.

        Returns:
            A digest; empty where the module has no such function.
        """
        if claim not in self.claims:
            return ""
        parts = [self.rest, self.claims[claim]]
        others = self.claims.keys() - {claim}
        for part in parts:  # which grows
            called = sorted(part.names & others)
            parts += [self.claims[name] for name in called]
            others -= {*called}
        text = "\n".join(part.text for part in parts)
        return hashlib.sha256(text.encode()).hexdigest()


def part_of(code: list[ast.AST]) -> Part:
    """Write code in one way, however it is laid out, and list its names."""
    nodes = (node for statement in code for node in ast.walk(statement))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return Part("\n".join(ast.unparse(each) for each in code), names)


def place_of(check: Callable[..., Any]) -> str:
    """Give the place where a claim begins, as errors of the build name one."""
    file = Path(check.__code__.co_filename)
    folders = f"{file.parent.parent.name}/{file.parent.name}"
    return f"{folders}/{file.name}:{check.__code__.co_firstlineno}"


def named(check: Callable[..., Any]) -> str:
    """Name a claim by its function, and the line where it begins."""
    return f"'{check.__name__}' in line {check.__code__.co_firstlineno}"


def shown(entry: dict[str, Any]) -> dict[str, Any]:
    """Give what a page shows of a claim beside what is found."""
    check = entry["check"]
    texts = {
        "needs": "",
        "reading": "",
        "text": inspect.cleandoc(check.__doc__),
        "line": check.__code__.co_firstlineno,
        "code": body(check),
    }
    for name, value in entry.items():
        if name not in {"key", "check"}:
            texts[name] = value
    return texts


def judged(entry: dict[str, Any]) -> dict[str, Any]:
    """Give a claim's verdict, and which alterations its check caught.

    Raises:
        MisfitError: entry and finding do not fit together, or the check fails;
            names the claim and says how.
    """
    check = entry["check"]
    if "kind" in entry:
        return {
            "verdict": entry["kind"],
            "outcome": "",
            "values": {},
            "strictness": "",
            "altered": {},
        }
    try:
        require_computed(check)
        result = verdict_of(entry, check())
    except Exception as error:
        what = (
            str(error) if isinstance(error, MisfitError) else told(error, check)
        )
        raise MisfitError(
            f"{place_of(check)}: {entry['key']}: {what}"
        ) from error
    if draws(check):  # so how far or how close it is has to do with chance
        said = result["strictness"].replace(":", " in this draw:", 1)
        result["strictness"] = said
    return result


def require_computed(check: Callable[..., Any]) -> None:
    """Raise MisfitError if a check hands over a case in which all is typed.

    Such a case agrees with whatever was typed beside it.
    """
    function = ast.parse(textwrap.dedent(inspect.getsource(check))).body[0]
    constants = typed_names(function)
    for node in ast.walk(function):
        given = handed_over(node)
        if given and all(is_typed(each, constants) for each in given):
            line = check.__code__.co_firstlineno + node.lineno - 1
            raise MisfitError(
                f"`{ast.unparse(node)}` in line {line} is typed and nothing "
                "in it computed, so the check cannot fail: have code find it"
            )


def handed_over(node: ast.AST) -> list[ast.expr]:
    """Give what a case is made of by a call of `case`, or of `finding`."""
    if not isinstance(node, ast.Call):
        return []
    name = ast.unparse(node.func).rpartition(".")[2]
    if name == "finding":  # its keywords are what the text quotes
        return node.args
    if name == "case":
        return [*node.args, *(keyword.value for keyword in node.keywords)]
    return []


def is_typed(node: ast.expr, constants: set[str]) -> bool:
    """Tell whether an expression is numbers or words as somebody typed them."""
    return all(
        part.id in constants
        if isinstance(part, ast.Name)
        else not isinstance(part, ast.Call | ast.BinOp | ast.Compare)
        for part in ast.walk(node)
    )


def typed_names(function: ast.AST) -> set[str]:
    """List the names that a function sets once, to what was typed."""
    nodes = [*ast.walk(function)]
    stored = [
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return {
        node.targets[0].id
        for node in nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and stored.count(node.targets[0].id) == 1
        and isinstance(node.value, ast.Constant | ast.UnaryOp)
        and is_typed(node.value, set())
    }


def draws(function: Any) -> bool:
    """Tell whether a function draws random numbers, or one that it calls."""
    function = inspect.unwrap(function)
    codes = [function.__code__]
    for code in codes:  # functions inside it too
        codes += [part for part in code.co_consts if inspect.iscode(part)]
    names = {name for code in codes for name in code.co_names}
    known = function.__globals__
    modules = [
        known[name] for name in names if inspect.ismodule(known.get(name))
    ]
    scopes = [known, *(vars(m) for m in modules if m.__name__ == "samples")]
    called = [
        scope[name] for scope in scopes for name in names if name in scope
    ]
    return bool(names & {"default_rng", "qmc"}) or any(
        draws(each)
        for each in called
        if inspect.isfunction(inspect.unwrap(each)) and each is not function
    )


def told(error: Exception, check: Callable[..., Any]) -> str:
    """Say of an error where in a check's file it happened."""
    file = check.__code__.co_filename
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == file]
    where = f"its check stops in line {lines[-1]}: " if lines else ""
    return f"{where}{type(error).__name__}: {error}"


def verdict_of(entry: dict[str, Any], found: Finding) -> dict[str, Any]:
    """Judge an entry by what is found; raise MisfitError if it cannot be."""
    if not isinstance(found, Finding):
        raise MisfitError(
            f"its check gives {found!r}: end with `return finding(…)`"
        )
    cases, values = found
    met = [case for case in cases if not case.beyond]
    beyond = [case for case in cases if case.beyond]
    if not met:
        raise MisfitError("a finding has at least one case that is not beyond")
    says = Statement(entry["says"])
    if not says.holds(met):
        outcome = "wrong"
    elif all(says.holds_in(case) for case in beyond):
        outcome = "true"
    else:
        outcome = "true if"
    check_words(entry, outcome, says, cases)

    right = Statement(entry["rather"]) if entry["rather"] else says
    if right is not says and not right.holds(met):
        raise MisfitError(
            f"'{right.text}' is not found either: {right.miss(met)}"
        )
    # The check tells an alteration from the truth: it no longer holds.
    altered = {
        text: not right.holds(met, text) for text in right.alterations(met)
    }
    return {
        "verdict": verdict_in_words(entry, outcome, cases),
        "outcome": outcome,
        "values": values,
        "strictness": right.strictness(met),
        "altered": altered,
    }


def verdict_in_words(
    entry: dict[str, Any], outcome: str, cases: list[Case]
) -> str:
    """Give the word for an outcome, which for a finding of our own is another.

    Raises:
        MisfitError: a finding is said to hold, and its arm has no case.
    """
    if "arm" not in entry:
        verdict = "vague" if entry["reading"] else outcome
        for word in ("question", "withdrawn"):
            verdict = word if entry[word] else verdict
        return verdict
    if entry["weaker"]:
        if outcome != "true":
            raise MisfitError(f"found '{outcome}', so it is not `weaker`")
        return str(entry["weaker"])
    if not any(case.arm for case in cases):
        raise MisfitError(
            "a finding that holds or is refuted has a case of the arm, "
            "`case(…, arm=True)`; where the arm was not run, say `weaker`"
        )
    return OURS[outcome]


def body(check: Callable[..., Any]) -> str:
    """Give a check's code, without the claim above it and the docstring."""
    source = textwrap.dedent(inspect.getsource(check))
    function = ast.parse(source).body[0]
    lines = source.splitlines()[function.body[0].end_lineno :]
    return textwrap.dedent("\n".join(lines)).strip()


def check_words(
    entry: dict[str, Any], outcome: str, says: Statement, cases: list[Case]
) -> None:
    """Raise MisfitError where the words do not fit the outcome."""
    met = [case for case in cases if not case.beyond]
    if outcome == "wrong" and (entry["reading"] or entry["question"]):
        raise MisfitError(
            "a reading or a question never makes an error: say what holds; "
            f"'{says.text}' does not: {says.miss(met)}"
        )
    if outcome == "wrong" and not entry["rather"] and not says.compares:
        raise MisfitError(
            f"'{says.text}' is found wrong: {says.miss(met)}; say in `rather` "
            "what is right"
        )
    if (outcome == "true if") != bool(entry["needs"]):
        raise MisfitError(
            f"found '{outcome}', needs='{entry['needs']}'; a claim that "
            "fails beyond its assumption, and only such a claim, says its needs"
        )
    if entry["theorem"] and not (outcome == "true" and says.compares):
        raise MisfitError("`theorem` is said of comparisons that hold")
    if len(met) < len(cases) and outcome == "true":
        raise MisfitError("it holds beyond its assumption too: drop `beyond`")
    for word, expected in (
        ("rather", "wrong"),
        ("same_error", "wrong"),
        ("same_need", "true if"),
    ):
        if entry[word] and outcome != expected:
            raise MisfitError(
                f"found '{outcome}', so there is nothing to say `{word}`"
            )
