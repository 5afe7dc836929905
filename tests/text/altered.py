"""How much of the text is guarded: words turned round and numbers altered, and what notices.

    python -m tests.text.altered [--count 60] [--seed 0]

In sentences that speak of computed results (they quote a value, or an assertion has words of them,
or they are a figure's words) comparing words and typed numbers are altered at places drawn at
random, one at a time. Numbers are altered a second time together with the messages of assertions
about the sentence, as someone does it who makes both say the same. What the build says nothing
about is listed. 0 and 1 stay: a mean of 0 and a variance of 1 are known everywhere.
"""

import argparse
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tests.conftest import PROJECT
from weave.run.assertions import Assertion
from weave.text.numbers import ASSUMED, typed_numbers
from weave.text.prose import Texts, judge, place_of, readers_of, texts_of
from weave.text.sentences import VALUE, Sentence, Text, in_words, matches

TURNED = dict(
    pair.split()
    for pair in """
    rises falls|falls rises|rise fall|fall rise|rising falling|falling rising|grows shrinks
    shrinks grows|grow shrink|shrink grow|climbs drops|climb drop|drops climbs|increases decreases
    decreases increases|above below|below above|larger smaller|smaller larger|greater smaller
    more fewer|fewer more|less more|most least|least most|higher lower|lower higher|longer shorter
    shorter longer|wider narrower|narrower wider|better worse|worse better|stronger weaker
    weaker stronger|steeper flatter|flatter steeper|slower faster|faster slower|heavier lighter
    lighter heavier|largest smallest|smallest largest|highest lowest|lowest highest|closer farther
    nearer farther|twice half|half twice|doubles halves|doubled halved|exceeds undercuts
    outgrows trails|within beyond|beyond within
    """.replace("\n", "|").split("|")
    if pair.strip()
)
WORD = re.compile(rf"\b(?:{'|'.join(TURNED)})\b")


@dataclass
class Alteration:
    """One place of a text, altered."""

    text: Text
    sentence: Sentence
    old: str
    new: str
    start: int  # in the sentence
    in_messages: bool = False  # altered there too, where an assertion has words of the sentence

    def __str__(self) -> str:
        words = " ".join(self.sentence.text.split())
        return (
            f"{self.text.name}:{self.sentence.line}: {self.new!r} for {self.old!r}: {words[:110]}"
        )

    def applied(self) -> Text:
        """Give the text with the alteration."""
        new = self.sentence.text
        new = new[: self.start] + self.new + new[self.start + len(self.old) :]
        altered = Sentence(self.sentence.line, new, in_words(new))
        kept = [altered if each is self.sentence else each for each in self.text.sentences]
        source = self.text.source.replace(self.sentence.text, new, 1)
        return Text(self.text.name, source, kept)


class Site:
    """The texts as they are, or others, and what they say of results."""

    def __init__(self, texts: Texts | None = None) -> None:
        PROJECT.refresh()
        self.texts = texts or texts_of(PROJECT)
        self.before = self.mistakes(self.texts)
        self.around: dict[str, tuple[Texts, set[tuple[str, int, str]]]] = {}  # by text

    def mistakes(self, texts: Texts) -> set[tuple[str, int, str]]:
        """Give the mistakes that a build would name."""
        found = judge(texts).mistakes
        return {(page, *each) for page, said in found.items() for each in said}

    def speaking(self) -> Iterator[tuple[Text, Sentence]]:
        """Yield the sentences that speak of computed results."""
        asserted: set[tuple[str, int]] = set()
        for name, assertions in self.texts.assertions.items():
            readers = [self.texts.pages[page] for page in readers_of(self.texts, name)]
            for assertion in assertions:
                for text in readers:
                    asserted |= {(text.name, at) for at in matches(assertion.words, text)}
        for text in self.texts.pages.values():
            for at, sentence in enumerate(text.sentences):
                if (text.name, at) in asserted or VALUE.search(sentence.text):
                    yield text, sentence
        for name, caption in self.texts.captions.items():
            if place_of(self.texts, name)[1]:  # it is shown
                for sentence in caption.sentences:
                    yield caption, sentence

    def words(self) -> Iterator[Alteration]:
        """Yield every comparing word, turned round."""
        for text, sentence in self.speaking():
            hidden = [m.span() for m in re.finditer(r"\{[^{}]*\}|\]\([^)]*\)", sentence.text)]
            for match in WORD.finditer(sentence.text):
                if not any(first <= match.start() < end for first, end in hidden):
                    new = TURNED[match[0]]
                    yield Alteration(text, sentence, match[0], new, match.start())

    def numbers(self, seed: int, in_messages: bool = False) -> Iterator[Alteration]:
        """Yield every typed number, its last digit raised or the whole doubled."""
        for text, sentence in self.speaking():
            for number in typed_numbers(sentence.text):
                old, size = number.digits, float(number.digits.replace(",", ""))
                if size in ASSUMED:
                    continue
                last = old[:-1] + str((int(old[-1]) + 1) % 10)
                double = f"{2 * size:.10g}"
                chance = random.Random(f"{seed} {number.start} {sentence.text}")
                new = chance.choice([each for each in (last, double) if not_assumed(each)])
                yield Alteration(text, sentence, old, new, number.start, in_messages)

    def altered_messages(self, alteration: Alteration) -> dict[str, list[Assertion]]:
        """Give the assertions, with the alteration in the messages that stand in the sentence."""
        if not alteration.in_messages:
            return self.texts.assertions
        at = alteration.text.sentences.index(alteration.sentence)
        number = re.compile(rf"(?<![\d.]){re.escape(alteration.old)}(?![\d]|\.\d)")

        def altered(assertion: Assertion) -> Assertion:
            if at not in matches(assertion.words, alteration.text):
                return assertion
            return assertion._replace(words=number.sub(alteration.new, assertion.words))

        return {name: [*map(altered, each)] for name, each in self.texts.assertions.items()}

    def concerned(self, text: Text) -> tuple[Texts, set[tuple[str, int, str]]]:
        """Give what is judged with a text, a tenth of the site or so, and the mistakes in it.

        These are the snippets whose words it may have, and all pages that may have them, too.
        """
        if text.name not in self.around:
            page = Path(text.name).stem if text.name.startswith("docs/") else ""
            readers = {
                name: found
                for name in self.texts.assertions
                if page in (found := readers_of(self.texts, name))
                or text is self.texts.captions[name]
            }
            pages = {page}.union(*readers.values())
            texts = replace(
                self.texts,
                assertions={name: self.texts.assertions[name] for name in readers},
                pages={name: each for name, each in self.texts.pages.items() if name in pages},
                captions={name: self.texts.captions[name] for name in readers},
            )
            self.around[text.name] = texts, self.mistakes(texts)
        return self.around[text.name]

    def notices(self, alteration: Alteration) -> bool:
        """Tell whether a build would name a mistake that there was not before."""
        old, new = alteration.text, alteration.applied()
        texts, before = self.concerned(old)
        altered = self.altered_messages(alteration)
        texts = replace(
            texts,
            assertions={name: altered[name] for name in texts.assertions},
            pages={page: new if text is old else text for page, text in texts.pages.items()},
            captions={name: new if text is old else text for name, text in texts.captions.items()},
        )
        return bool(self.mistakes(texts) - before)


def not_assumed(digits: str) -> bool:
    """Tell whether a number is one that code has to know."""
    return float(digits.replace(",", "")) not in ASSUMED


def tried(site: Site, count: int, seed: int) -> dict[str, list[tuple[Alteration, bool]]]:
    """Alter words and numbers at places drawn at random; tell which are noticed.

    An edit of one sentence does not change which others are drawn.
    """
    every = {
        "words": [*site.words()],
        "numbers": [*site.numbers(seed)],
        "numbers, in messages too": [*site.numbers(seed, in_messages=True)],
    }

    def lot(each: Alteration) -> float:
        return random.Random(f"{seed} {each.start} {each.sentence.text}").random()

    # More words, of which fewer are noticed: of 60, a tenth more or less is chance.
    counts = {kind: count * (3 if kind == "words" else 1) for kind in every}
    return {
        kind: [(each, site.notices(each)) for each in sorted(all_, key=lot)[: counts[kind]]]
        for kind, all_ in every.items()
    }


def main() -> None:
    """Print what is noticed, and list what is not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for kind, found in tried(Site(), given.count, given.seed).items():
        noticed = sum(notices for _, notices in found)
        print(f"{kind}: {noticed} of {len(found)} are noticed. Not noticed:")
        print(*(f"  {each}" for each, notices in found if not notices), sep="\n")


if __name__ == "__main__":
    main()
