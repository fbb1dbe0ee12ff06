#!/usr/bin/env bash
# kafka_partitions.sh COUNT…: what Kafka's Java producer does with 10,000 ids; see the Java file.
set -euo pipefail
cd "$(dirname "$0")/../.."
deploy/kafka/fetch.sh >&2
exec java -XX:TieredStopAtLevel=1 -cp 'deploy/kafka/libs/*' tests/java/KafkaPartitions.java "$@"
