import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;

/**
 * Prints the partitions that Kafka's own Java producer chooses for keyed records, a line an id:
 * "id partition partition …", one partition for each partition count given as an argument.
 */
public final class KafkaPartitions {
  private static final long CONSECUTIVE_IDS = 5_000;
  private static final long SPREAD_IDS = 5_000;

  public static void main(String[] partitionCounts) {
    StringBuilder lines = new StringBuilder();
    for (long id = 1; id <= CONSECUTIVE_IDS; id++) {
      append(lines, id, partitionCounts);
    }
    // Evenly up to 2^63-1, that one included.
    for (long i = 0; i < SPREAD_IDS; i++) {
      append(lines, Long.MAX_VALUE - i * (Long.MAX_VALUE / SPREAD_IDS), partitionCounts);
    }
    System.out.print(lines);
  }

  private static void append(StringBuilder lines, long id, String[] partitionCounts) {
    byte[] key = Long.toString(id).getBytes(StandardCharsets.UTF_8);
    lines.append(id);
    for (String count : partitionCounts) {
      int partitions = Integer.parseInt(count);
      lines.append(' ').append(BuiltInPartitioner.partitionForKey(key, partitions));
    }
    lines.append('\n');
  }

  private KafkaPartitions() {}
}
