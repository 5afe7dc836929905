"""What several tests of the chapter ask for."""

from functools import cache
from types import SimpleNamespace

import pytest


@pytest.fixture(scope="package")
def other(module):
    """Give the averages by another chapter's quadrature, each computed once."""
    route = module("saturation/gaussian_logits")
    names = "largest", "participation", "mean_log_sum", "mean_maximum"
    return SimpleNamespace(**{name: cache(getattr(route, name)) for name in names})
