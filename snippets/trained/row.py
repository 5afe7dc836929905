r"""At the model's own scale “{= query }” attends in three ways: in head
{= heads[0] } to its verb and to [CLS], in head {= heads[1] } mostly to [CLS],
in head {= heads[2] } to the word before and to nothing else.

Bars for the twelve keys of a sentence, one below the other, in three panels
beside each other, one for each head. In the first the longest bar stands at
“leaves”, the next at [CLS], and all others are short. In the second [CLS] has
about two thirds. In the third “the”, the word before the query, has it all.
"""

# %%
import numpy as np
from scipy.special import softmax
from stored import lines, read

table, asked = read("trained/scores.csv"), lines("trained/asked.txt")
d, query = 32, "train"
# By sentence, head, word and key: all sentences are of the same length.
every = np.array([row.split() for row in table["scores"]], float)
keys = every.shape[1]
every = every.reshape(len(asked), -1, keys - 2, keys)
names = table["query"].reshape(every.shape[:3])[:, 0]
sentences = [["[CLS]", *map(str, each), "[SEP]"] for each in names]
one = slice(0, every[0, :, :, 0].size, keys - 2)  # a row of each head
all_heads = [
    f"{layer:.0f}.{head:.0f}"
    for layer, head in zip(table["layer"][one], table["head"][one], strict=True)
]

heads, words = all_heads[:3], sentences[0]
of_query = every[0, :3, words.index(query) - 1].tolist()
scores = dict(zip(heads, of_query, strict=True))
reach = max(scores["0.2"])
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
# In head 5.9, the key at which each word looks most, by sentence.
looks_at = [
    [each[key] for key in S[0].argmax(axis=-1)]
    for each, S in zip(sentences, every, strict=True)
]
listed, refused = (
    next(at for at, each in enumerate(sentences) if word in each)
    for word in ("apples", "no")
)
asks = [  # the word that asks when a sentence is chosen
    *(query, "soup", "it", "smell", "milk", "root"),
    *("bank", "knows", "sleeps", "him", "soft", "dog"),
]
explore = {
    "d": d,
    "heads": all_heads,
    "asked": asked,
    "words": sentences,
    "asks": [*map(list.index, sentences, asks)],
    "scores": np.rint(100 * every).astype(np.int32),
}

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 3, figsize=(6.4, 4), sharey=True)
for axes, head in zip(panels, scores, strict=True):
    axes.barh(np.arange(len(words)), weights[head]["√d"], color="C0")
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
    "to its verb and to [CLS]"
)
assert favourite["1.10"] == "[CLS]", "mostly to [CLS]"
assert most["0.2"]["√d"] > 0.99, "to the word before and to nothing else"
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
assert len(all_heads) == len(asked) == 12, (
    "one of twelve heads and of twelve sentences"
)
assert set(looks_at[listed]) == {"[CLS]"}, "each word looks at [CLS] most"
assert looks_at[refused] == [
    "down" if word == "down" else "no" for word in sentences[refused][1:-1]
], "all words but “down” look at “no” most"
assert half > 0.98, "half of their size would do as well"
