"""The claims of the article on the divisor (003), each with its check."""

# %%
from ledger import Ledger

ledger = Ledger()


claims = ledger.judge()
