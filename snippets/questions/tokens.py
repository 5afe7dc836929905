"""Tokens of another variance change the spread of the logits, until a norm."""

# %%
import numpy as np

d, step = 64, 0.1
# With weights of variance 1/D a query has the variance of its token, and a
# logit the spread √(of the query's token · of the key's).
image, text = 4, 1
spread = {
    "text to text": np.sqrt(text * text),
    "text to image": np.sqrt(text * image),
    "image to image": np.sqrt(image * image),
}
divisor = np.sqrt(d * image * text)


def integrals(sigma):
    """Return t, E e^(−tX) and t E X e^(−tX) for X = e^(σg), on a fine grid."""
    g = np.arange(-9, 9, step)
    weight = np.exp(-(g**2) / 2)
    weight /= weight.sum()
    log_t = np.arange(-40, 30, step)
    u = np.minimum(log_t[:, np.newaxis] + sigma * g, 40)
    return np.exp(-np.exp(u)) @ weight, np.exp(u - np.exp(u)) @ weight


def taken(n, wide, narrow):
    """Return the mean weight that n keys of one spread take from n of another.

    With Z the sum of all e^z, 1/Z = ∫ e^(−tZ) dt, and the logits factor.
    """
    (one, first), (other, _) = integrals(wide), integrals(narrow)
    return n * step * np.sum(first * one ** (n - 1) * other**n)


# A text token before 256 images and 256 texts.
each = 256
images_take = taken(each, spread["text to image"], spread["text to text"])

# An encoder whose residual stream adds up 12 outputs and an embedding, all
# independent and of variance 1, without a norm at its end.
outputs = 12
residual = np.sqrt(outputs + 1)
# Embeddings of standard deviation 0.02 without a norm, on both sides.
deviation = 0.02
embedded = deviation**2
# A token ten times as long as the others, as a key or as a query.
longer = 10 * 1

# %% says
assert spread["text to image"] == 2, "text meets image at a spread of"
assert divisor == 16 == 8 * 2, (
    r"you would divide by $\sqrt{64\cdot4\cdot1}$, which is"
)
assert spread["image to image"] == 4, "and image meets image at"
assert images_take > 3 / 4, "the images take … of a text's attention"
assert residual > 3, "then the spread in cross-attention is"
assert embedded < 0.001, "begin with logits of spread"
assert longer == 10, "is ten times as long, all its logits are"
