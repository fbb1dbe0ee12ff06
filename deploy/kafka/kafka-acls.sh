#!/usr/bin/env bash
# Kafka's own command, for who has Kafka as these jars alone.
exec java ${KAFKA_JVM_PERFORMANCE_OPTS-} -cp "$(dirname "$0")/libs/*" org.apache.kafka.tools.AclCommand "$@"
