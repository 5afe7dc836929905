"""The claims of the thread on the variance of QK (001), each with its check."""

# %%
from ledger import Ledger

ledger = Ledger()


claims = ledger.judge()
