# /etc/profile.d/fanfold.sh of whoever operates three machines (docs/DEPLOY.md).
export FANFOLD_CONFIG=/etc/fanfold/operator.toml
fanfold_restart() { # unit's end, port: returns when it is ready, and has folded what there is
  systemctl restart fanfold-$1 &&
    curl -sS --fail-with-body --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:$2/readyz && fanfold wait --timeout 120
}
fanfold_replicas() { # returns when every replica of the log is in sync
  until [[ $(fanfold doctor || true) =~ ok\ +replicas ]]; do sleep 2; done
}
fanfold_packages() ( # what apt is told: replaces programs, restarts nothing
  policy=/usr/sbin/policy-rc.d
  if [ -e $policy ]; then
    echo "$policy is there: another is at work, or was killed, or the machine has one of its own" >&2
    exit 1
  fi
  trap 'rm -f $policy' EXIT
  trap 'exit 1' INT TERM HUP
  printf '#!/bin/sh\nexit 101\n' > $policy
  chmod 0755 $policy
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
)
