"""Run check_attention over every architecture of transformers, small and with random weights.

    make sweep                       # what the table does not have yet
    make sweep ARGS="falcon opt"     # these again

For each that can be made small and run: what the tool says of eager attention, and what `compare`
says of SDPA with the same weights. It writes architectures.csv beside the page's snippets, a line
as soon as it is known; what cannot be made small or run is there with its reason.
"""

import csv
import math
import signal
import sys
import warnings
from copy import deepcopy
from pathlib import Path
from textwrap import shorten
from typing import Any

TABLE = Path(__file__).parents[2] / "snippets/your-model/architectures.csv"
COLUMNS = [
    "model",
    "class",
    "d",
    "scale",
    "verdicts",
    "faults",
    "understood",
    "calls",
    "output",
    "layer",
    "kind",
    "words",
]
SECONDS = 60  # of the processor, for one architecture
LARGE = 1e8  # parameters
SIZES = {
    64: "hidden_size d_model n_embd embed_dim dim hidden_dim word_embed_proj_dim embedding_size "
    "projection_dim text_embed_dim attention_hidden_size encoder_hidden_size decoder_hidden_size",
    96: "intermediate_size ffn_dim n_inner d_ff encoder_ffn_dim decoder_ffn_dim ffn_hidden_size "
    "moe_intermediate_size shared_expert_intermediate_size dim_feedforward mlp_dim "
    "intermediate_size_mlp",
    4: "num_attention_heads n_head n_heads num_heads encoder_attention_heads "
    "decoder_attention_heads num_experts n_routed_experts num_local_experts "
    "encoder_num_attention_heads",
    2: "num_key_value_heads num_hidden_layers n_layer n_layers num_layers encoder_layers "
    "decoder_layers num_decoder_layers num_encoder_layers num_experts_per_tok top_k "
    "multi_query_group_num",
    16: "head_dim d_kv attention_head_dim v_head_dim qk_nope_head_dim kv_lora_rank q_lora_rank "
    "global_head_dim kv_channels",
    8: "qk_rope_head_dim rotary_dim sliding_window patch_size num_mel_bins index_head_dim",
    1: "n_group topk_group first_k_dense_replace n_shared_experts",
    32: "image_size",
    100: "vocab_size",
    128: "max_position_embeddings n_positions n_ctx max_seq_len max_source_positions "
    "max_target_positions",
}
SMALL = {name: size for size, names in SIZES.items() for name in names.split()}
WINDOWS = {"embed_dim": 64, "depths": [2, 2], "num_heads": [2, 4]}
WINDOWS |= {"patch_size": 2, "window_size": 4}
# Some need sizes of their own, or what they have none of.
OWN: dict[str, dict[str, Any]] = {
    "falcon": {"alibi": True},
    "deberta": {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
    "deberta-v2": {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
    "big_bird": {"attention_type": "original_full"},
    "longformer": {"attention_window": [8, 8]},
    "beit": {"use_relative_position_bias": True},
    "swin": WINDOWS,
    "swinv2": WINDOWS,
    "mpt": {"expansion_ratio": 1},
}  # fmt: skip


class LateError(BaseException):
    """An architecture took too long. What watches a model would go on after an Exception."""


def shrunk(config: Any) -> Any:
    """Make a configuration small, and those that it holds."""
    for name, value in list(vars(config).items()):
        if hasattr(value, "to_dict") and hasattr(value, "model_type"):
            shrunk(value)
        elif name in SMALL and isinstance(value, int) and not isinstance(value, bool):
            setattr(config, name, SMALL[name])
        elif name.endswith("token_id") and isinstance(value, int) and value >= 100:
            setattr(config, name, 2)
        elif name == "layer_types" and isinstance(value, list):
            setattr(config, name, sorted(dict.fromkeys(value))[:2] * (2 // min(2, len({*value}))))
    return config


def lightened(config: Any) -> Any:
    """Leave sizes as they are, which may have to fit each other, and take fewer layers."""
    for name, value in list(vars(config).items()):
        if hasattr(value, "to_dict") and hasattr(value, "model_type"):
            lightened(value)
        elif SMALL.get(name) == 2 and "layer" in name and isinstance(value, int):
            setattr(config, name, 2)
        elif name == "depths" and isinstance(value, list):
            setattr(config, name, [min(each, 2) for each in value])
        elif name == "vocab_size" and isinstance(value, int):
            setattr(config, name, 100)
        elif name.endswith("token_id") and isinstance(value, int) and value >= 100:
            setattr(config, name, 2)
    return config


def batch(model: Any, config: Any) -> dict[str, Any]:
    """Give inputs by the name of the first."""
    import torch

    torch.manual_seed(1)
    name = model.main_input_name
    size = getattr(config, "image_size", None) or getattr(
        getattr(config, "vision_config", None), "image_size", 32
    )
    size = size if isinstance(size, int) else size[0]
    channels = getattr(config, "num_channels", 3)
    inputs: dict[str, Any] = {"input_ids": torch.randint(3, 100, (2, 24))}
    if name == "pixel_values":
        inputs = {"pixel_values": torch.randn(2, channels, size, size)}
        if hasattr(config, "text_config"):
            inputs["input_ids"] = torch.randint(3, 100, (2, 24))
    elif name == "pixel_values_videos":
        frames = getattr(config, "num_frames", 16)
        inputs = {name: torch.randn(1, frames, channels, size, size)}
    elif name in ("input_features", "input_values"):
        bins = getattr(config, "num_mel_bins", 8)
        inputs = {
            name: torch.randn(2, bins, 256) if name == "input_features" else torch.randn(2, 4000)
        }
    if getattr(config, "is_encoder_decoder", False):
        inputs["decoder_input_ids"] = torch.randint(3, 100, (2, 20))
    return inputs


def one(name: str) -> dict[str, Any]:
    """Give what is found of one architecture, made small in one way or another."""
    import transformers

    try:
        config = shrunk(transformers.AutoConfig.for_model(name))
        for key, value in OWN.get(name, {}).items():
            setattr(config, key, value)
        return found_of(name, config)
    except Exception as error:
        try:
            return found_of(name, lightened(transformers.AutoConfig.for_model(name)))
        except Exception as other:
            raise ValueError(f"{error} // {other}") from other


def found_of(name: str, config: Any) -> dict[str, Any]:
    """Give what is found with one configuration."""
    import torch
    import transformers

    import check_attention as ours

    with torch.device("meta"):
        made = transformers.AutoModel.from_config(deepcopy(config))
    if sum(p.numel() for p in made.parameters()) > LARGE:
        raise ValueError("it is still large")
    models = {}
    for kind in ("eager", "sdpa"):
        torch.manual_seed(0)
        try:
            models[kind] = transformers.AutoModel.from_config(
                deepcopy(config), attn_implementation=kind
            ).eval()
        except ValueError as error:
            if kind == "eager" or "scaled_dot_product" not in str(error):
                raise
    model = models["eager"]
    inputs = [batch(model, config)]
    found: dict[str, Any] = {"model": name, "class": type(model).__name__}
    report = ours.check(model, inputs, show=False)
    for each in ("d", "scale"):
        values = {
            f"{row.scale * row.d**0.5:.3g}" if each == "scale" else str(row.d)
            for row in report.rows
            if row.d and not math.isnan(row.scale)
        }
        found[each] = " ".join(sorted(values))
    found["verdicts"] = " ".join(sorted({row.scale_verdict for row in report.rows}))
    found["faults"] = "; ".join(
        shorten(words, 200, placeholder=" …") for words in report.faults(*ours.words.NEVER_MEANT)
    )
    found |= {"understood": report.understood, "calls": report.calls}
    if "sdpa" in models:
        models["sdpa"].load_state_dict(model.state_dict())
        told = ours.compare(model, models["sdpa"], inputs)
        found |= {"output": f"{told.output:.2g}", "layer": told.layer, "kind": told.kind}
        found["words"] = shorten(" ".join([told.words, *told.notes]), 240, placeholder=" …")
    else:
        found["words"] = "it has no SDPA"
    return found


def main(names: list[str]) -> None:
    """Write a line for each architecture."""
    import torch
    import transformers
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    had: dict[str, dict[str, str]] = {}
    if TABLE.exists():
        with TABLE.open(encoding="utf-8") as file:
            lines = [line for line in file if not line.startswith("#")]
        had = {row["model"]: row for row in csv.DictReader(lines)}
    chosen = names or [name for name in CONFIG_MAPPING_NAMES if name not in had]

    def late(*_: Any) -> None:
        raise LateError(f"more than {SECONDS} s")

    signal.signal(signal.SIGVTALRM, late)
    for number, name in enumerate(chosen, 1):
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        try:
            row = one(name)
        except (Exception, LateError) as error:
            words = shorten(f"{type(error).__name__}: {error}", 200, placeholder=" …")
            row = {"model": name, "class": "", "words": words}
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        had[name] = {key: str(row.get(key, "")) for key in COLUMNS}
        print(number, len(chosen), *(had[name][key] for key in COLUMNS), sep=" | ", flush=True)
        write(had, f"transformers {transformers.__version__}, torch {torch.__version__}")


def write(had: dict[str, dict[str, str]], versions: str) -> None:
    """Write the table, in the order of its names."""
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {versions}, on a processor, in single precision, seed 0.\n")
        file.write("# Written by tests/check_attention/sweep.py: make sweep\n")
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(had[name] for name in sorted(had))


if __name__ == "__main__":
    main(sys.argv[1:])
