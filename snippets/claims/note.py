"""The claims of the note on the size of q·k (000), each with its check."""

# %%
from ledger import Ledger

ledger = Ledger()


claims = ledger.judge()
