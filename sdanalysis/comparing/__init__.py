"""Two sets of results beside each other; returns texts and frames, prints nothing."""
