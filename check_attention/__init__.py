"""Is the scale of your model's attention right? Watch it at work, head by head.

    python check_attention.py mypackage.mymodule:make      # make() returns model, batches
    python check_attention.py path/to/file.py:make         # or model, batches, forward
    python check_attention.py --demo forgotten             # a small model with a fault

In a notebook: `report = check(model, batches)`, or `with watch(model) as report:` around whatever
calls the model. In a run: `Monitor`. In pytest: `assert_attention`. Two codes: `compare`. Over
widths: `width_sweep`. PyTorch 2.4 or newer; matplotlib for the figure.

It follows weights from softmax to their product with v: softmax however it is written, by matmul,
einsum or sums, and `scaled_dot_product_attention` and `nn.MultiheadAttention`. Of flash-attn,
xFormers and FlexAttention it reads q, k and the scale where their functions are called. What it
does not understand, it names, and the report is not `ok` then. It sees nothing of TorchScript,
exported graphs and other threads, and nothing of what a compiler makes of code.

The outputs of the model, its gradients, buffers and random numbers stay as they are. Of long inputs
some rows are taken, evenly spaced. License: MIT.
"""

try:
    import torch

    if torch.__version__ < "2.4":  # before, PyTorch tells nobody of x[0]
        raise ImportError(f"this is PyTorch {torch.__version__}")
except ImportError as error:
    raise ImportError(f"check_attention needs PyTorch 2.4 or newer: {error}") from error

from check_attention.calls import Monitor, assert_attention, check, watch
from check_attention.compare import Comparison, compare
from check_attention.demo import demo
from check_attention.report import Report
from check_attention.rows import Row
from check_attention.widths import Sweep, width_sweep
from check_attention.words import CheckError, __version__

__all__ = [
    "CheckError", "Comparison", "Monitor", "Report", "Row", "Sweep", "__version__",
    "assert_attention", "check", "compare", "demo", "watch", "width_sweep",
]  # fmt: skip
