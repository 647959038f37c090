"""Install the kit into its own environment and start it: `python -m react_lab [test]`."""

import sys

if sys.version_info < (3, 11):
    sys.exit(
        "react_lab needs Python 3.11, 3.12 or 3.13; this is Python %d.%d. "
        "Install one of them and run the same command with it, such as python3.12 -m react_lab."
        % sys.version_info[:2]
    )

from react_lab.launcher import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
