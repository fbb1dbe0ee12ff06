"""What the benchmarks of reading share: the graph as it is known without Fanfold, the reader and
its baselines, load on them."""
