#!/usr/bin/env bash
# acls.sh OPTIONS: allows each role what `rights` says. OPTIONS are those of Kafka's kafka-acls.sh that say where and as
# whom: --bootstrap-server HOST:PORT, --command-config FILE. Run again it changes nothing. From the environment:
#   SPACE       the deployment's, where it has one
#   USERS       what the users' names begin with (fanfold_): fanfold_writer and so on
#   KAFKA_ACLS  the command (the one beside this file)
set -euo pipefail
folder=$(dirname "$0")
acls=${KAFKA_ACLS:-$folder/kafka-acls.sh}
users=${USERS-fanfold_}
prefix=${SPACE:+$SPACE-}

allow() { # role, what it may, of what, names
  local role=$1 operations=$2 kind=$3
  local -a options=()
  shift 3
  for operation in ${operations//,/ }; do options+=(--operation "$operation"); done
  for name in "$@"; do
    case $kind in
      topic) options+=(--topic "$prefix$name") ;;
      group) options+=(--group "$prefix$name" --resource-pattern-type prefixed) ;;
      cluster) options+=(--cluster) ;;
    esac
  done
  "$acls" "${where[@]}" --add --allow-principal "User:$users$role" "${options[@]}"
}

where=("$@")
# Each call starts a JVM: one is made for all names of one kind, cheap to start, and they run side by side.
export KAFKA_JVM_PERFORMANCE_OPTS=${KAFKA_JVM_PERFORMANCE_OPTS--XX:+UseSerialGC -XX:TieredStopAtLevel=1}
awk '!/^#/ && NF { key = $1 " " $2 " " $3; if (!(key in names)) keys[n++] = key; names[key] = names[key] " " $4 }
     END { for (i = 0; i < n; i++) print keys[i] names[keys[i]] }' "$folder/rights" |
  {
    calls=()
    while read -ra right; do
      allow "${right[@]}" < /dev/null &
      calls+=($!)
    done
    failed=0
    for call in "${calls[@]}"; do wait "$call" || failed=1; done
    exit $failed
  }
