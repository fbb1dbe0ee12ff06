"""A benchmark a module; here in the order in which they run."""

from . import (alone, changes_listeners, embedded_fold, embedded_write_one, erase, everyday,
               feed_cold, feed_deliveries, feed_merge, feed_page, feed_tables, feed_visible, feed_ways, fold,
               noisy_client, posts_alone, read_check, read_check_100, read_check_100_cold, read_common, read_deep_page,
               read_fans_page, read_guarded, read_memory, read_metered, read_mixed, read_visible, rebuild,
               visible, worst_neighbour, write_64, write_batch, write_one)

# Those that want everybody's lists in memory come one after the other; those that write come after
# those that ask Redis, to which nobody writes.
READS = (read_memory, read_check, read_check_100, read_fans_page, read_common, read_deep_page,
         read_visible, read_check_100_cold, read_mixed)

ALL = [module.BENCHMARK for module in (fold, alone, posts_alone, write_one, write_64, write_batch, visible,
                                       everyday, erase, *READS, rebuild, embedded_fold,
                                       embedded_write_one, feed_merge, feed_deliveries, feed_page, feed_cold,
                                       feed_ways, feed_tables, feed_visible, changes_listeners, read_guarded, read_metered,
                                       noisy_client, worst_neighbour)]
