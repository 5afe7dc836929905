"""How concentrated weights are, by another quadrature."""

import math

import pytest

from tests.saturation.draws import close
from tests.saturation.quadrature import largest_mean, log_sum, power_sums


@pytest.mark.parametrize("n", [3, 16, 64, 512, 4096, 65536])
@pytest.mark.parametrize(("name", "sigma"), [("÷ √d", 1), ("d = 64", 8)])
def test_the_table_by_another_quadrature(snippet, n, name, sigma):
    page = snippet("saturation/saturation")
    if n == 3:
        few = page.scaled_3 if sigma == 1 else page.bare_3
        keys, largest = few["keys"], few["largest"]
        entropy = log_sum(3, sigma) - sigma**2 * (1 - power_sums(3, sigma)[0])
        assert close(math.log(few["by_entropy"]), entropy, 3e-5)
    else:
        keys, largest = page.taking_part[name][n], page.largest_weight[name][n]
        same = power_sums(n, sigma)[0]
        entropy = log_sum(n, sigma) - sigma**2 * (1 - same)
        assert close(page.mean_entropy[name][n], entropy, 3e-5)
        assert close(page.by_entropy[name][n], math.exp(entropy), 2e-4)
        if sigma == 1:
            assert close(page.key_share[n], 1 / same / n, 1e-6)
    for scale in (1, 1.001):
        assert close(keys, 1 / power_sums(n, scale * sigma)[0], 1e-6) == (scale == 1)
        assert close(largest, largest_mean(n, scale * sigma), 3e-5) == (scale == 1)


def test_single_numbers(snippet):
    page = snippet("saturation/saturation")
    assert close(1 / page.four_dimensions, power_sums(512, 2)[0], 1e-6)
    for sigma, right in [(math.sqrt(2), True), (math.sqrt(128), False), (1, False)]:
        assert close(1 / page.old_divisor["keys"], power_sums(512, sigma)[0], 1e-6) == right
        assert close(page.old_divisor["largest"], largest_mean(512, sigma), 3e-5) == right
    assert close(page.output_sd**2, power_sums(512, 1)[0], 1e-6)
    assert close(math.exp(page.ln_512), 512)
    entropy = log_sum(512, 1) - (1 - power_sums(512, 1)[0])
    assert close(512 * page.entropy_share_512, math.exp(entropy), 3e-5)
