"""The claims of the thread on the square root (002), each with its check."""

# %%
from ledger import Ledger

ledger = Ledger()


claims = ledger.judge()
