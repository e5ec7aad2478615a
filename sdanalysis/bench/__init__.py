"""Runs the sources' own benchmarks on the medium that holds a folder, and keeps what they print.

It needs only Python's standard library, nothing else of this package. Zipped into one file it runs
on a Raspberry Pi that has only Python 3.11. It reads and writes sessions; what the tools printed is
read by `sdanalysis parse`.
"""
