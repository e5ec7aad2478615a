"""Runs the sources' own benchmarks on the medium that holds a folder, and keeps what they print.

Needs Python's standard library only, and nothing else of this package: zipped into one file it runs
on a Raspberry Pi that has no more than Python 3.11. It reads and writes sessions; what the tools
printed is read by `sdanalysis parse`.
"""
