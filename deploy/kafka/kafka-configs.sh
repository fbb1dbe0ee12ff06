#!/usr/bin/env bash
# Kafka's own command, for who has Kafka as these jars alone: `make stack`.
exec java -cp "$(dirname "$0")/libs/*" kafka.admin.ConfigCommand "$@"
