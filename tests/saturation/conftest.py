"""The modules that the chapter's snippets share."""

import pytest


@pytest.fixture(scope="module")
def exact(module):
    return module("saturation/gaussian_logits")


@pytest.fixture(scope="module")
def keys(module):
    return module("saturation/largest_keys")
