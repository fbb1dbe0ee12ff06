"""Benchmarks of Fanfold, each beside the bare thing that it stands on."""
