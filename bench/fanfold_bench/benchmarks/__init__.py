"""A benchmark a module; here in the order in which they run."""

from . import (alone, embedded_fold, embedded_write_one, fold, visible, write_64, write_batch,
               write_one)

ALL = [module.BENCHMARK for module in (fold, alone, write_one, write_64, write_batch, visible,
                                       embedded_fold, embedded_write_one)]
