"""It changes nothing while it watches, and nothing at all between the steps that it watches."""

import re
from textwrap import dedent
from types import SimpleNamespace

import numpy as np
import pytest

from tests.check_attention.script import (  # isort: skip
    PAGE, Attention, H, K, Q, found, functional, fused, gaussian, nn, ours, rows_of, torch,
)  # fmt: skip


def idle():
    hooks = nn.modules.module
    return not (
        hooks._global_forward_hooks
        or hooks._global_forward_pre_hooks
        or torch.overrides._get_current_function_mode_stack()
    )


class Everything(nn.Module):
    """Dropout before, in and after attention, a buffer that changes, and gradients."""

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.3, batch_first=True)
        self.norm = nn.BatchNorm1d(32)

    def forward(self, x):
        return self.norm(self.layer(x).mean(1))


def step(model, watched):
    """Take a step of training; give all that can differ."""
    torch.manual_seed(5)
    x = gaussian(6, 10, 32, seed=13)
    if watched:
        with ours.watch(model) as report:
            model(x).square().mean().backward()
        assert report.rows
    else:
        model(x).square().mean().backward()
    gradients = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return [*gradients, torch.get_rng_state()]


def test_a_watched_step_of_training_is_the_same_to_the_last_bit():
    torch.manual_seed(0)
    model = Everything()
    plain, watched, again = (step(model, watched) for watched in (False, True, False))
    assert all(torch.equal(a, b) for a, b in zip(plain, watched, strict=True))
    assert all(torch.equal(a, b) for a, b in zip(plain, again, strict=True))
    assert not torch.equal(torch.get_rng_state(), torch.manual_seed(6).get_state())


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
def test_on_a_gpu(kind):
    kind = getattr(torch, kind)
    whole = found(rows_of(fused(is_causal=True), Q, K, K))
    there = [t.to("cuda", kind) for t in (Q, K, K)]
    state = torch.cuda.get_rng_state()
    for function in (fused(is_causal=True), fused(is_causal=True, dropout_p=0.5)):
        assert np.allclose(found(rows_of(function, *there)), whole, rtol=4e-2)
    assert torch.equal(state, torch.cuda.get_rng_state())


def test_check_leaves_buffers_and_random_numbers():
    torch.manual_seed(0)
    model = Everything()
    before = [buffer.clone() for buffer in model.buffers()]
    state = torch.get_rng_state()
    ours.check(model, [gaussian(6, 10, 32)], show=False)
    assert all(torch.equal(a, b) for a, b in zip(before, model.buffers(), strict=True))
    assert torch.equal(state, torch.get_rng_state())
    assert model.training
    model(gaussian(6, 10, 32))  # which does change them
    assert not all(torch.equal(a, b) for a, b in zip(before, model.buffers(), strict=True))
    assert not torch.equal(state, torch.get_rng_state())


def test_all_is_as_it_was_after_an_exception():
    def fails(q, k, v):
        functional.scaled_dot_product_attention(q, k, v)
        raise RuntimeError("broken")

    model = Attention(fails)
    with pytest.raises(RuntimeError, match="broken"):
        ours.check(model, [(Q, K, K)], show=False)
    assert idle()
    with pytest.raises(RuntimeError, match="broken"), ours.watch(model) as report:
        model(Q, K, K)
    assert len(report.rows) == H, "what was seen before is kept"


# One step in many -------------------------------------------------------------------------------


def test_one_step_in_many_is_watched_and_between_them_nothing_is_left():
    model = Everything()
    monitor = ours.Monitor(model, every=3)
    seen = []
    for step in range(7):
        with monitor(step):
            assert idle() == (step % 3 > 0)
            model(gaussian(6, 10, 32)).sum().backward()
        assert idle()
        seen.append(bool(monitor.metrics))
    assert seen == [True, False, False, True, False, False, True]
    rows = monitor.report.rows
    name = "attn/layer.self_attn/"
    assert monitor.metrics[name + "max_logit"] == max(row.max_logit for row in rows)
    assert monitor.metrics[name + "entropy"] == pytest.approx(np.mean([r.entropy for r in rows]))
    assert monitor.metrics[name + "scale"] == pytest.approx(8**-0.5)
    assert all(isinstance(value, int | float) for value in monitor.metrics.values())
    monitor.start(0)
    monitor.reset()
    assert idle()
    assert monitor.metrics == {}
    assert monitor.report.rows == []
    with pytest.raises(ours.CheckError, match="every is 0"):
        ours.Monitor(model, every=0)


def test_an_exception_in_a_watched_step_leaves_nothing():
    monitor = ours.Monitor(Everything(), every=1)
    with pytest.raises(RuntimeError), monitor(0):
        raise RuntimeError
    assert idle()


# The adapters, as the page shows them ------------------------------------------------------------


def adapters():
    names = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[1:]:
        exec(dedent(code), names)
    return SimpleNamespace(**names)


class Regression(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)

    def forward(self, x, labels=None):
        return {"loss": self.layer(x).square().mean()}


def test_a_loop_of_ones_own_and_weights_and_biases():
    """`wandb.log` takes a dict and a step, as this log does."""
    logged = []
    model = nn.Sequential(Regression().layer)
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)
    batches = [gaussian(2, 9, 32)] * 5
    adapters().train(model, batches, optimizer, lambda *one: logged.append(one), every=2)
    assert [step for _, step in logged] == [0, 2, 4]
    assert {"attn/0.self_attn/max_logit", "attn/0.self_attn/frozen"} < logged[0][0].keys()


def test_tensorboard(tmp_path):
    pytest.importorskip("tensorboard", reason="no TensorBoard: `make architectures`")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(tmp_path) as writer:
        adapters().to_tensorboard(writer)({"attn/one/max_logit": 2.5}, 7)
    events = EventAccumulator(str(tmp_path)).Reload()
    (event,) = events.Scalars("attn/one/max_logit")
    assert (event.step, event.value) == (7, 2.5)


@pytest.mark.long
def test_lightning(tmp_path):
    lightning = pytest.importorskip("lightning", reason="no Lightning: `make architectures`")

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = Regression()

        def training_step(self, batch):
            return self.model(batch)["loss"]

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 1e-3)

    module = Module()
    trainer = lightning.Trainer(
        max_steps=3, callbacks=[adapters().for_lightning(module, 2)], logger=False,
        accelerator="cpu", enable_checkpointing=False, enable_progress_bar=False,
        default_root_dir=tmp_path,
    )  # fmt: skip
    trainer.fit(module, torch.utils.data.DataLoader(gaussian(6, 9, 32), batch_size=2))
    assert trainer.callback_metrics["attn/model.layer.self_attn/max_logit"] > 0
    assert idle()


@pytest.mark.long
def test_the_trainer_of_transformers(tmp_path):
    transformers = pytest.importorskip("transformers", reason="no transformers: `make torch`")
    pytest.importorskip("accelerate", reason="no accelerate: `make architectures`")
    data = [{"x": x, "labels": 0} for x in gaussian(6, 9, 32)]
    arguments = transformers.TrainingArguments(
        tmp_path, max_steps=3, per_device_train_batch_size=2, report_to=[], use_cpu=True
    )
    trainer = transformers.Trainer(Regression(), arguments, train_dataset=data)
    adapters().add_to_trainer(trainer, 2)
    trainer.train()
    logged = [each for each in trainer.state.log_history if "attn/layer.self_attn/scale" in each]
    assert [each["step"] for each in logged] == [1, 3]
    assert idle()
