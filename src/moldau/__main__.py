"""`python -m moldau` is the command `moldau`."""

import sys

from moldau.cli import main

sys.exit(main())
