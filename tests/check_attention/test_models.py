"""Models of two libraries, at the start and trained: heads, scale and spread by another route.

The spread is recomputed from the weights that softmax gives, or that a fused call would: up to a
constant of the row, a logit is the logarithm of its weight.
"""

import math

import numpy as np
import pytest

from tests.check_attention.script import TorchFunctionMode, ours, torch

LIKE_BERT = {
    "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96,
    "vocab_size": 100, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    "max_position_embeddings": 128,
}  # fmt: skip
GROUPED = LIKE_BERT | {"num_key_value_heads": 2}
WIDE = GROUPED | {"head_dim": 16}
LIKE_GPT = {"vocab_size": 100, "n_embd": 64, "n_layer": 2, "n_head": 4, "bos_token_id": 1}
LIKE_GPT |= {"eos_token_id": 2}
IMAGE = LIKE_BERT | {"image_size": 32, "patch_size": 8}
SEQUENCES = {
    "vocab_size": 100, "d_model": 64, "encoder_layers": 2, "decoder_layers": 2,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64, "pad_token_id": 0, "decoder_start_token_id": 1,
}  # fmt: skip
T5 = {"vocab_size": 100, "d_model": 64, "d_kv": 16, "d_ff": 64, "num_heads": 4, "num_layers": 2}
T5 |= {"decoder_start_token_id": 0, "pad_token_id": 0}
LATENT = LIKE_BERT | {
    "num_key_value_heads": 4, "kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8,
    "v_head_dim": 12, "n_routed_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 32,
    "n_group": 1, "topk_group": 1, "first_k_dense_replace": 1,
}  # fmt: skip
ALONE = {"scale_attn_by_inverse_layer_idx": True}
PAIRS = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]}
ROPE = {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}
YARN = {"rope_type": "yarn", "factor": 4.0, "rope_theta": 1e4}
YARN |= {"original_max_position_embeddings": 32}
WINDOWS = {"image_size": 32, "patch_size": 2, "embed_dim": 64, "depths": [2, 2], "window_size": 4}
WINDOWS |= {"num_heads": [2, 4]}
PLAIN = "gpt_neox phi persimmon bert roberta"
PLAIN_GROUPED = "llama qwen2 phi3 olmo2 stablelm starcoder2 cohere nemotron"
PLAIN_IMAGE = "vit dinov2 clip_vision_model"
# A model of transformers: its sizes, then d, scale·√d and the verdict, if not 16, 1 and "root".
TRANSFORMERS = {
    **dict.fromkeys(PLAIN.split(), (LIKE_BERT,)),
    **dict.fromkeys(PLAIN_GROUPED.split(), (GROUPED,)),
    **dict.fromkeys(PLAIN_IMAGE.split(), (IMAGE,)),
    **dict.fromkeys(["qwen3", "gemma"], (WIDE,)),
    **dict.fromkeys(["gptj", "codegen"], (LIKE_GPT | {"rotary_dim": 8},)),
    "gpt2": (LIKE_GPT,),
    "gpt2 by layer": (LIKE_GPT | ALONE, 16, (1, 1 / 2), ("root", "stated")),
    "gpt2 unscaled": (LIKE_GPT | {"scale_attn_weights": False}, 16, 4, "stated"),
    "opt": (LIKE_BERT | {"ffn_dim": 64, "word_embed_proj_dim": 64},),
    "bloom": ({"vocab_size": 100, "hidden_size": 64, "n_layer": 2, "n_head": 4},),
    "mpt": ({"d_model": 64, "n_heads": 4, "n_layers": 2, "vocab_size": 100, "max_seq_len": 128},),
    "falcon": (LIKE_BERT | {"alibi": True},),
    "llama with yarn": (GROUPED | {"rope_parameters": YARN}, 16, 1.2965, "stated"),
    "llama4_text": (WIDE | {"num_local_experts": 2, "intermediate_size_mlp": 64},),
    "mistral": (GROUPED | {"sliding_window": 8},),
    "gemma2": (WIDE | {"query_pre_attn_scalar": 24, "sliding_window": 8}, 16, 0.8165, "stated"),
    "gemma3_text": (WIDE | {"query_pre_attn_scalar": 16, "sliding_window": 8},),
    "granite": (GROUPED | {"attention_multiplier": 1 / 16}, 16, 1 / 4, "stated"),
    "gpt_oss": (WIDE | ROPE | {"num_local_experts": 2, "num_experts_per_tok": 1},),
    "deepseek_v2": (LATENT | {"q_lora_rank": None, "head_dim": 8}, 24),
    "deepseek_v3": (LATENT | {"q_lora_rank": 16}, 24),
    "electra": (LIKE_BERT | {"embedding_size": 32},),
    "distilbert": ({"vocab_size": 100, "dim": 64, "n_layers": 2, "n_heads": 4, "hidden_dim": 64},),
    "deberta": (LIKE_BERT | PAIRS, 16, 3**-0.5, "stated"),
    "deberta-v2": (LIKE_BERT | PAIRS, 16, 3**-0.5, "stated"),
    "xlnet": ({"vocab_size": 100, "d_model": 64, "n_layer": 2, "n_head": 4, "d_inner": 64},),
    "esm": (LIKE_BERT | {"mask_token_id": 3},),
    "big_bird": (LIKE_BERT | {"attention_type": "original_full"},),
    "longformer": (LIKE_BERT | {"attention_window": [8, 8]}, 0, math.nan, "unknown"),
    "t5": (T5, 16, 4, "stated"),
    "mt5": (T5, 16, 4, "stated"),
    "bart": (SEQUENCES,),
    "whisper": (SEQUENCES | {"num_mel_bins": 8, "max_source_positions": 32},),
    "beit": (IMAGE | {"use_relative_position_bias": True},),
    "swin": (WINDOWS, 32),
    "swinv2": (WINDOWS, 32, 10 * 32**0.5, "cosine"),
}
# Models of timm by d, where the scale is 1/√d.
TIMM = {
    16: "levit_128s",
    32: "pvt_v2_b0 coatnet_0_rw_224 tiny_vit_5m_224 maxvit_rmlp_pico_rw_256 twins_svt_small "
    "swin_tiny_patch4_window7_224 nest_tiny gcvit_xxtiny",
    48: "cait_xxs24_224",
    64: "deit3_small_patch16_224 beit_base_patch16_224 eva02_tiny_patch14_224 vitamin_small_224 "
    "vit_relpos_small_patch16_224",
    96: "mvitv2_tiny hiera_tiny_224",
}
TIMM = {name: (d,) for d, names in TIMM.items() for name in names.split()}
TIMM["swinv2_tiny_window8_256"] = (32, 10 * 32**0.5, "cosine")


class Weights(TorchFunctionMode):
    """Keeps what each softmax gives, and what each fused call would."""

    def __init__(self):
        super().__init__()
        self.kept = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        if function.__name__ == "softmax" and out.ndim > 2:
            self.kept.append(out.detach().double().numpy())
        if function.__name__ == "scaled_dot_product_attention":
            self.kept.append(self.fused(*args, **(kwargs or {})))
        return out

    def fused(self, q, k, v, attn_mask=None, is_causal=False, scale=None, enable_gqa=False, **_):
        k = k.repeat_interleave(q.shape[-3] // k.shape[-3], -3) if enable_gqa else k
        z = q.double() @ k.double().mT * (q.shape[-1] ** -0.5 if scale is None else scale)
        if is_causal:
            z = z.masked_fill(~torch.ones(z.shape[-2:], dtype=torch.bool).tril(), -math.inf)
        if attn_mask is not None:
            is_bool = attn_mask.dtype == torch.bool
            z = z.masked_fill(~attn_mask, -math.inf) if is_bool else z + attn_mask
        return z.softmax(-1).numpy()


def pooled(kept, sinks=0):
    """Average the variance of a row over all layers: for each head, if that is axis 1 of 4."""
    by_head = all(each.ndim == 4 for each in kept)
    rows = {}
    for each in kept:
        each = each[..., : each.shape[-1] - sinks]
        heads = range(each.shape[1]) if by_head else [None]
        for head in heads:
            for p in (each[:, head] if by_head else each).reshape(-1, each.shape[-1]):
                z = np.log(p[p > 1e-40])  # what a mask leaves, −100 too
                if len(z) > 1:
                    rows.setdefault(head, []).append(np.var(z, ddof=1))
    return {head: np.sqrt(np.mean(variance)) for head, variance in rows.items()}


def agree(model, batch, d, times=1.0, verdict="root", sinks=0):
    report = ours.check(model, [batch], rows=10**5, show=False)
    with Weights() as weights, torch.no_grad():
        ours.call_with(model, batch)
    kept = weights.kept
    # Longformer multiplies q and k in chunks, and writes these into the bands of another tensor:
    # its softmax is measured, but what q·k was multiplied by is lost. That has to be said, so it is
    # not ok; of all other models there is nothing to say.
    assert all("written into a tensor in parts" in note for note in report.notes)
    assert bool(report.notes) == (verdict == "unknown")
    assert {row.layout_verdict for row in report.rows} == {""}
    assert "nan" not in {row.softmax_verdict for row in report.rows}
    assert {row.scale_verdict for row in report.rows} == {*np.atleast_1d(verdict)}
    if d:
        assert {row.d for row in report.rows} == {d}
        found = {round(row.scale * d**0.5, 2) for row in report.rows}
        assert found == {round(float(each), 2) for each in np.atleast_1d(times)}
    else:  # Longformer has heads third
        kept = [each.swapaxes(1, 2) if each.shape[2] == 4 else each for each in kept]
    expected = pooled(kept, sinks)
    found = {}
    for row in report.rows:
        found.setdefault(None if None in expected else row.head, []).append(row)
    assert found.keys() == expected.keys()
    for head, rows in found.items():
        squares = [row.spread**2 for row in rows if row.rows]
        spread = np.sqrt(np.average(squares, weights=[row.rows for row in rows if row.rows]))
        assert spread == pytest.approx(expected[head], rel=2e-3, abs=1e-9)
    return report


def made(name, kind):
    transformers = pytest.importorskip("transformers", reason="no transformers: `make torch`")
    config = transformers.AutoConfig.for_model(name.split()[0], **TRANSFORMERS[name][0])
    torch.manual_seed(0)
    try:
        model = transformers.AutoModel.from_config(config, attn_implementation=kind).eval()
    except ValueError as error:
        pytest.skip(str(error)[:60])
    ids, later = torch.randint(3, 100, (2, 40)), torch.randint(3, 100, (2, 24))
    if model.main_input_name == "pixel_values":
        return model, {"pixel_values": torch.randn(2, 3, 32, 32)}
    if model.main_input_name == "input_features":
        return model, {"input_features": torch.randn(2, 8, 64), "decoder_input_ids": later}
    more = {"decoder_input_ids": later} if config.is_encoder_decoder else {}
    return model, {"input_ids": ids} | more


@pytest.mark.parametrize("kind", ["eager", "sdpa"])
@pytest.mark.parametrize("name", TRANSFORMERS)
def test_a_model_of_transformers_at_the_start(name, kind):
    model, batch = made(name, kind)
    _, d, times, verdict = (*TRANSFORMERS[name], *(16, 1, "root")[len(TRANSFORMERS[name]) - 1 :])
    if (name, kind) == ("falcon", "eager"):  # it adds ALiBi twice, and SDPA adds it once
        verdict = "bias twice"
    report = agree(model, batch, d, times, verdict, sinks=name == "gpt_oss")
    assert report.unseen == []
    assert report.ok == (verdict not in ("bias twice", "unknown"))
    if name == "gpt_oss":
        assert 0 < report.rows[0].sink < 1


@pytest.mark.long
@pytest.mark.parametrize("name", TIMM)
def test_a_model_of_timm_at_the_start(name):
    timm = pytest.importorskip("timm", reason="no timm: `make architectures`")
    torch.manual_seed(0)
    model = timm.create_model(name).eval()
    report = agree(model, torch.randn(1, *model.pretrained_cfg["input_size"]), *TIMM[name])
    assert report.ok
    assert not report.faults("frozen")
