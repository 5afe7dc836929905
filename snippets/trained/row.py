r"""At the model's own scale one query shares out its attention in three ways:
head {= heads[0] } looks at its verb and at [CLS], head {= heads[1] } mostly at
[CLS], head {= heads[2] } at the word before and nothing else.

Bars for the twelve keys of a sentence, one below the other, in three panels
beside each other, one for each head. In the first the longest bar stands at
“leaves”, the next at [CLS], and all others are short. In the second [CLS] has
about two thirds. In the third “the”, the word before the query, has it all.
"""

# %%
import numpy as np
from scipy.special import softmax
from stored import read

table, d = read("row.csv"), 32
place = [*zip(table["layer"], table["head"], strict=True)]
scores = {}
for (layer, head), score in zip(place, table["score"], strict=True):
    scores.setdefault(f"{layer:.0f}.{head:.0f}", []).append(float(score))
heads = [*scores]
query = str(table["query"][0])
words = [str(word) for word in table["key"][: len(scores["5.9"])]]
keys, reach = len(words), max(scores["0.2"])
half = softmax(np.array(scores["0.2"]) / (2 * d**0.5)).max()  # half the logits
divisor = {"1": 1, "√d": d**0.5, "d": d}
weights = {
    head: {by: softmax(np.array(S) / T) for by, T in divisor.items()}
    for head, S in scores.items()
}
sharing = {
    head: {by: 1 / np.sum(p**2) for by, p in rows.items()}
    for head, rows in weights.items()
}
favourite = {head: words[np.argmax(S)] for head, S in scores.items()}
most = {
    head: {by: p.max() for by, p in rows.items()}
    for head, rows in weights.items()
}
explore = {"d": d, "words": words, "heads": [*scores.items()]}

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 3, figsize=(6.4, 4), sharey=True)
for at, (axes, head) in enumerate(zip(panels, scores, strict=True)):
    axes.barh(np.arange(len(words)), weights[head]["√d"], color=f"C{at}")
    axes.set(title=f"head {head}", xlim=(0, 1), xticks=[0, 0.5, 1])
    axes.grid(visible=False, axis="y")
panels[0].set_yticks(np.arange(len(words)), words)
panels[0].set(ylabel=f"keys of the query “{query}”")
panels[0].invert_yaxis()
panels[1].set_xlabel("attention weight, scores divided by √d")
plt.show()

# %% says
order = {head: np.argsort(S)[::-1] for head, S in scores.items()}
first, second, third = (
    weights["5.9"]["√d"][order["5.9"][at]] for at in range(3)
)
assert [words[at] for at in order["5.9"][:2]] == ["leaves", "[CLS]"], (
    "looks at its verb and at [CLS]"
)
assert favourite["1.10"] == "[CLS]", "mostly at [CLS]"
assert most["0.2"]["√d"] > 0.99, "at the word before and nothing else"
assert keys == 12, "Bars for the twelve keys of a sentence"
assert third < second / 2, "the next at [CLS], and all others are short"
assert abs(most["1.10"]["√d"] - 2 / 3) < 0.05, "[CLS] has about two thirds"
assert favourite["0.2"] == words[words.index(query) - 1], (
    "the word before the query, has it all"
)
assert favourite["5.9"] == "leaves", "finds the verb: … goes to"
assert sharing["5.9"]["d"] > 0.95 * keys, "what the head has found is lost"
assert sharing["1.10"]["d"] > 0.9 * keys, "the head mixes in all words instead"
assert most["0.2"]["d"] > 0.5, "even divided by d that word keeps"
assert most["0.2"]["d"] > 2 * most["5.9"]["d"], (
    "what flattens one of them does little to another"
)
assert all(
    np.array_equal(np.argsort(p), order[head][::-1])
    for head, rows in weights.items()
    for p in rows.values()
), "In a single row a divisor moves no key past another"
assert half > 0.98, "half of their size would do as well"
