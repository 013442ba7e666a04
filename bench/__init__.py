"""Benchmarks anyone can run: `python -m bench [fold|gateway|cost]`. Figures are ratios in one run, or thread time."""
