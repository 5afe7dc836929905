"""What the tables' words and numbers are called on the page."""

REMEDIES = {
    "none": "1/√d alone",
    "1/d": "8/d instead",
    "decay": "weight decay",
    "QK-clip": "QK-clip at 20",
    "soft cap": "soft cap at 20",
    "QK-norm": "QK-norm",
}


def figures(value, error=None, digits=3):
    """Return a mean, and its error where there is one, in figures."""
    text = f"{value:.{digits}f}"
    if error is not None:
        text += f" ± {error:.{digits}f}"
    return text.replace("-", "−")
