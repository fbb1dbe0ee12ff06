#!/usr/bin/env bash
# servers.sh start|stop DIR: one Kafka and one MariaDB for the tests of a build tree.
exec python3 "$(dirname "$0")/servers.py" "$@"
