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
# A call for all names of one kind: each starts a JVM.
awk '!/^#/ && NF { key = $1 " " $2 " " $3; if (!(key in names)) keys[n++] = key; names[key] = names[key] " " $4 }
     END { for (i = 0; i < n; i++) print keys[i] names[keys[i]] }' "$folder/rights" |
  while read -ra right; do allow "${right[@]}" < /dev/null; done
