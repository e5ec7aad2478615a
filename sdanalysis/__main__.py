"""`python -m sdanalysis`."""

import sys

from sdanalysis.cli import main

sys.exit(main())
