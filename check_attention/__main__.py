"""Run the command: `python -m check_attention`."""

import sys

from check_attention.command import main

sys.exit(main())
