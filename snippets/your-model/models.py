"""How attention begins in models that people have, each with its source."""

import numpy as np

# DeepSeek-V3 makes queries of 192 from a latent of 1536, and keys from two
# inputs: 128 coordinates from a latent of 512, 64 from the width of 7168. Both
# latents pass through RMSNorm. One width that gives the same spread:
LATENT = float(np.sqrt(1536 * (128 * 512 + 64 * 7168) / 192))
CODE = "https://github.com/"
DRAWN = {"rule": "deviation", "s": 0.02}
ROOT = {"scale": "1/√d"}
# Heads of d, how many, the width D, the keys n, and how they begin.
MODELS = {
    "GPT-2": {"d": 64, "h": 12, "D": 768, "n": 1024, **DRAWN, **ROOT},
    "Llama 3": {"d": 128, "h": 32, "D": 4096, "n": 8192, **DRAWN, **ROOT},
    "Qwen3": {"d": 128, "h": 32, "D": 4096, "n": 32768, **DRAWN, **ROOT},
    "Gemma 2": {"d": 128, "h": 32, "D": 4608, "n": 8192, **DRAWN},
    "Gemma 3": {"d": 128, "h": 32, "D": 5376, "n": 131072, **DRAWN},
    "DeepSeek-V3": {"d": 192, "h": 128, "D": int(LATENT), "n": 4096, **ROOT},
    "ViT": {"d": 64, "h": 12, "D": 768, "n": 197, "rule": "Xavier", **ROOT},
    "CLIP": {"d": 64, "h": 8, "D": 512, "n": 77, "rule": "LeCun", **ROOT},
    "T5": {"d": 64, "h": 12, "D": 768, "n": 512, "rule": "T5", "scale": "1"},
}
MODELS["DeepSeek-V3"] |= DRAWN | {"s": 0.006}
for name, root in {"Gemma 2": 144, "Gemma 3": 168}.items():
    MODELS[name] |= {"scale": "number", "number": root**-0.5}
for name in ("Qwen3", "Gemma 3"):
    MODELS[name] |= {"norm": "RMSNorm"}
# What is meant by each name, and where its numbers stand.
SOURCES = {
    "GPT-2": ("smallest", CODE + "openai/gpt-2/blob/master/src/model.py"),
    "Llama 3": ("8B", CODE + "meta-llama/llama-models"),
    "Qwen3": ("8B", "https://huggingface.co/Qwen/Qwen3-8B"),
    "Gemma 2": ("27B", CODE + "google/gemma_pytorch"),
    "Gemma 3": ("27B", CODE + "google/gemma_pytorch"),
    "DeepSeek-V3": ("", "https://arxiv.org/abs/2412.19437"),
    "ViT": ("B/16", CODE + "google-research/big_vision"),
    "CLIP": ("text, B/32", CODE + "openai/CLIP/blob/main/clip/model.py"),
    "T5": ("Base", CODE + "google-research/text-to-text-transfer-transformer"),
}
