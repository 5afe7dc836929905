"""The second moment of S = q·k for centred, jointly Gaussian q and k.

All arguments are d × d matrices: the covariances of q and of k, and the
cross-covariance C = E[q kᵀ].
"""

import numpy as np


def second_moment(cov_q, cov_k, cross):
    """Return E[S²] = tr(Σ_q Σ_k) + tr(C²) + (tr C)²."""
    return (
        np.trace(cov_q @ cov_k) + np.trace(cross @ cross) + np.trace(cross) ** 2
    )


def published(cov_q, cov_k, cross):
    """Return what the note prints: ‖C‖²_F = tr(C Cᵀ) in place of tr(C²)."""
    return (
        np.trace(cov_q @ cov_k)
        + np.trace(cross @ cross.T)
        + np.trace(cross) ** 2
    )
