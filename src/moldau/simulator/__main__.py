"""`python -m moldau.simulator`: see `command`."""

import sys

from moldau.simulator.command import main, pin_hashes

if __name__ == "__main__":
    pin_hashes()
    sys.exit(main())
