"""The transformer that looks things up, by other code: its task, its loss, its start, a divisor."""

import numpy as np
from scipy.special import softmax

from tests.tolerance import agrees, close


def by_hand(W, text, answer, s):
    """Give the mean loss in double precision, one sequence and one token at a time."""

    def norm(x):
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)

    losses = []
    for row, right in zip(text, answer, strict=True):
        x = W["token"][row] + W["place"]
        for layer in "12":
            q, k, v = (norm(x) @ W[name + layer] for name in "QKV")
            seen = [softmax(k[: i + 1] @ q[i] / s) @ v[: i + 1] for i in range(len(x))]
            x = x + np.array(seen) @ W["O" + layer]
        losses.append(-np.log(softmax(norm(x[-1]) @ W["readout"])[right]))
    return np.mean(losses)


def test_the_loss_by_other_code(torch, model):
    W = model.init(16, 3)
    text, answer, _ = model.batch(torch.Generator().manual_seed(1), 5)
    hands = {name: w.detach().double().numpy() for name, w in W.items()}
    found = model.loss(W, text, answer, 4.0).item()
    assert close(found, by_hand(hands, text.numpy(), answer.numpy(), 4.0), 1e-5)
    assert not close(found, by_hand(hands, text.numpy(), answer.numpy(), 2.0), 1e-4)


def test_only_the_sequence_holds_the_answer(torch, model):
    text, answer, right = (a.numpy() for a in model.batch(torch.Generator().manual_seed(2), 4000))
    keys, values = text[:, :16:2], text[:, 1:16:2] - 16
    row = np.arange(len(text))
    assert np.all(keys[row, right] == text[:, -1])
    assert np.all(values[row, right] == answer)
    assert np.all(np.diff(np.sort(keys)) > 0), "each key once"
    # A key says nothing of its value elsewhere: each of the 256 is met about as often as any.
    count = np.zeros((16, 16))
    np.add.at(count, (text[:, -1], answer), 1)
    chi_square = np.sum((count - 4000 / 256) ** 2) / (4000 / 256)
    assert agrees(chi_square, 255, np.sqrt(2 * 255))


def test_the_start(model):
    W = model.init(64, 5, start=0.5)
    for name, variance in {"Q1": 0.25 / 128, "O2": 1 / 128, "place": 0.25, "token": 1}.items():
        error = variance * np.sqrt(2 / W[name].numel())
        found = W[name].detach().square().mean().item()
        assert agrees(found, variance, error)
        assert not agrees(found, 1.3 * variance, error)
    assert not model.init(16, 0, zero_query=True)["Q1"].any()
    other = model.init(16, 5)
    assert all(w.equal(other[name]) for name, w in W.items() if name[0] not in "QK"), "at every d"


def test_a_divisor_is_a_smaller_start_and_a_smaller_rate(torch, model):
    def losses(s, start, slower):
        W = model.init(16, 0, start=start)
        rates = [
            {"params": [w], "lr": 0.001 * (slower if name[0] in "QK" else 1)}
            for name, w in W.items()
        ]
        adam, rng = torch.optim.Adam(rates, eps=1e-16), torch.Generator().manual_seed(0)
        for _ in range(8):
            text, answer, _ = model.batch(rng)
            adam.zero_grad()
            loss = model.loss(W, text, answer, s)
            loss.backward()
            adam.step()
            yield loss.item()

    divided = [*losses(4, 1, 1)]
    assert close(divided, [*losses(1, 0.5, 0.5)], 1e-4)
    assert not close(divided, [*losses(1, 0.5, 1)], 1e-4), "at the same rate it is faster"


def test_with_weight_decay_the_decay_grows(torch, model):
    def losses(s, start, slower, decay):
        W = model.init(16, 0, start=start)
        scoring = [w for name, w in W.items() if name[0] in "QK"]
        rest = [w for name, w in W.items() if name[0] not in "QK"]
        groups = [
            {"params": rest, "lr": 0.001, "weight_decay": 10},
            {"params": scoring, "lr": 0.001 * slower, "weight_decay": decay},
        ]
        adam, rng = torch.optim.AdamW(groups, eps=1e-16), torch.Generator().manual_seed(0)
        for _ in range(8):
            text, answer, _ = model.batch(rng)
            adam.zero_grad()
            loss = model.loss(W, text, answer, s)
            loss.backward()
            adam.step()
            yield loss.item()

    divided = [*losses(4, 1, 1, 10)]
    assert close(divided, [*losses(1, 0.5, 0.5, 20)], 1e-4)
    assert not close(divided, [*losses(1, 0.5, 0.5, 10)], 3e-4), "with the same decay"
