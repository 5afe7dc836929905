"""A bar for each claim, and the taller, the more there is to mend: of
{= verdicts.total } claims {= verdicts.count['true'] } are true as written,
{= verdicts.count['true if'] } under an assumption that is left open, and
{= verdicts.count['wrong'] } are wrong. A dot is a question, a claim that its
author took back, or a statement that no code can settle.

Four rows, one for each source, with a mark for each of its claims in the
source's order. The taller a bar, the more there is to mend: low bars are true
as written, middle ones true under an assumption or too vague to test, high ones
wrong. A dot has no such verdict: a question, a claim that was withdrawn, or a
statement that no code can settle.
"""

# %%
import article
import note
import root_thread
import variance_thread

sources = {
    "the note": note.claims,
    "thread on variance": variance_thread.claims,
    "thread on the root": root_thread.claims,
    "the article": article.claims,
}
# What has no place in a source is our own addition, and not counted.
sources = {
    source: {key: claim for key, claim in claims.items() if claim["place"]}
    for source, claims in sources.items()
}
every = [claim for claims in sources.values() for claim in claims.values()]
words = ["true", "true if", "vague", "wrong"]
words += ["question", "withdrawn", "history", "opinion"]
count = {word: sum(c["verdict"] == word for c in every) for word in words}
total, no_code = len(every), count["history"] + count["opinion"]
others = total - count["true"] - count["true if"] - count["wrong"]


def distinct(verdict, shared):
    """Count what claims of a verdict lack; what several share counts once."""
    return len(
        {
            claim[shared] or key
            for claims in sources.values()
            for key, claim in claims.items()
            if claim["verdict"] == verdict
        }
    )


distinct_errors = distinct("wrong", "same_error")
distinct_needs = distinct("true if", "same_need")
# The assumption that most claims leave out.
most = sum(claim.get("same_need") == "independence" for claim in every)
comparisons = sum("says" in c and not c["altered"] for c in every)
theorems = sum(bool(c.get("theorem")) for c in every)
alterations = sum(len(claim["altered"]) for claim in every)
caught = sum(sum(claim["altered"].values()) for claim in every)

# %%
import matplotlib.pyplot as plt

heights = {"true": 0.2, "true if": 0.45, "vague": 0.45, "wrong": 0.8}
colours = {"true": "C2", "true if": "C4", "vague": "C3", "wrong": "C1"}
names = {"vague": "too vague"}
fig, axes = plt.subplots(figsize=(6.4, 4.2))
for row, (source, claims) in enumerate(sources.items()):
    base = -1.35 * row
    for place, claim in enumerate(claims.values(), start=1):
        word = claim["verdict"]
        if word in heights:
            bar = {"bottom": base, "color": colours[word]}
            axes.bar(place, heights[word], 0.75, **bar)
        else:
            axes.plot(place, base + 0.08, ".", color="0.5", markersize=4)
    axes.text(0.5, base + 0.9, source)
for place, word in zip((14, 24, 36, 48), heights, strict=True):
    axes.text(
        place, 1.35, names.get(word, word), color=colours[word], ha="center"
    )
axes.plot(56, 1.47, ".", color="0.5", markersize=4)
axes.text(57, 1.35, "no verdict")
axes.set(
    xlabel="claim, in the order of its source",
    xticks=range(10, 80, 10),
    yticks=[],
    ylim=(-4.2, 1.6),
)
axes.spines["left"].set_visible(False)
axes.grid(False)
plt.show()
