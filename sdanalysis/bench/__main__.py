"""`python -m sdanalysis.bench`, and what the zipped file runs."""

import sys

from sdanalysis.bench.command import main

if __name__ == "__main__":
    sys.exit(main())
