"""The small transformer by other code: its loss, its start, and its first step."""

import numpy as np
from scipy.special import softmax

from tests.tolerance import agrees, close


def by_hand(W, text, s):
    """Give the mean loss over a text's windows, in double precision, one at a time."""

    def norm(x):
        return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)

    losses = []
    for window in text:
        seen, following = window[:-1], window[1:]
        x = np.array([W["byte"][:, b] + W["place"][:, i] for i, b in enumerate(seen)])
        for layer in "01":
            q, k, v = (norm(x) @ W[name + layer].T for name in "QKV")
            d = q.shape[1] // 4
            mixed = np.zeros_like(v)
            for head in range(4):
                own = slice(head * d, (head + 1) * d)
                for i in range(len(seen)):  # what comes later is not seen
                    mixed[i, own] = softmax(k[: i + 1, own] @ q[i, own] / s) @ v[: i + 1, own]
            x = x + mixed @ W["O" + layer].T
            x = x + np.maximum(norm(x) @ W["up" + layer].T, 0) @ W["down" + layer].T
        p = softmax(norm(x) @ W["readout"].T, axis=1)
        losses.append(-np.log(p[np.arange(len(following)), following]).mean())
    return np.mean(losses)


def arrays(W):
    """Give a copy of weights as arrays of double precision."""
    return {name: w.detach().double().numpy().copy() for name, w in W.items()}


TEXT = np.frombuffer(b"def attention(query, key, value): return softmax(query @ key) " * 40, "u1")


def test_the_loss_by_other_code(torch, transformer):
    rng = torch.Generator().manual_seed(3)
    text = transformer.batch(torch.from_numpy(TEXT.copy()), 3, rng)
    W = transformer.init(8, 0)
    loss = transformer.loss(W, text, 2.0).item()
    assert close(loss, by_hand(arrays(W), text.numpy(), 2.0), 1e-5)
    assert not close(loss, by_hand(arrays(W), text.numpy(), 2.0**0.5), 1e-5), "another divisor"
    early = text.numpy()[:, ::-1]
    assert not close(loss, by_hand(arrays(W), early, 2.0), 1e-5)


def test_the_start(transformer):
    W = {name: w.detach() for name, w in transformer.init(32, 1).items()}
    assert len(W) == 2 + 6 * 2 + 1
    for name, w in W.items():
        inputs = {"byte": 1, "place": 1}.get(name, w.shape[1])
        variance = inputs ** (-2 if name == "readout" else -1)
        error = variance * np.sqrt(2 / w.numel())
        assert agrees(w.square().mean().item(), variance, error)
        assert not agrees(w.square().mean().item(), 2 * variance, error)
    zero = transformer.init(32, 1, zero_query=True)
    for name, w in zero.items():
        assert close(w.detach(), 0 if name[0] == "Q" else W[name])


def test_the_first_step_of_adam(torch, transformer):
    # Each weight moves by the learning rate of its matrix, against the sign of its derivative.
    text, eta, s = torch.from_numpy(TEXT.copy()), 0.1, 2.0
    drawn = transformer.batch(text, 32, torch.Generator().manual_seed(1002)).numpy()
    steps = transformer.train(text, 8, 2, s, eta, 1)
    before, after = (arrays(W) for W in steps)
    rng = np.random.default_rng(0)
    signs = []
    for name in ("Q0", "O1", "up0", "readout", "place", "byte"):
        change = after[name] - before[name]
        inputs = {"byte": 1, "place": 1}.get(name, change.shape[1])
        used = np.argwhere(change)  # bytes that do not occur have no derivative
        assert close(np.abs(change[tuple(used.T)]), eta / inputs, 1e-4)
        place = tuple(used[rng.integers(len(used))])
        loss = []
        for h in (1e-4, -1e-4):
            W = before | {name: before[name].copy()}
            W[name][place] += h
            loss.append(by_hand(W, drawn, s))
        signs.append(np.sign(loss[0] - loss[1]) * np.sign(change[place]))
    assert signs == [-1] * len(signs)
