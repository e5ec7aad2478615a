"""Declared folders of data/raw -> rows, with corrections, media and hosts; and back: explain."""
