#!/usr/bin/env bash
# install.sh [only-build | [lint] [fuzz] [bench]]: the Debian packages that building, testing and running
# need; with `lint`, the linters too, with `fuzz`, what builds the fuzz targets, with `bench`, what the
# benchmarks need; with `only-build`, what builds the programs and packages. Installs what is missing
# and nothing else; takes an instant when all is there.
set -euo pipefail

JAVA_VERSION_MIN=17

BUILDERS=(
  g++ make cmake ninja-build ccache mold pkg-config dpkg-dev file
  librdkafka-dev libmysqlcppconn-dev libboost-dev nlohmann-json3-dev libfmt-dev libspdlog-dev
  prometheus-cpp-dev libcli11-dev libtomlplusplus-dev zlib1g-dev libssl-dev libcjose-dev libsqlite3-dev python3 python3-yaml
  libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev
)
TESTERS=(python3-venv openssl haproxy eatmydata mmdebstrap iproute2 chromium chromium-driver fonts-dejavu-core prometheus)
SERVERS=(mariadb-server maven curl)
LINTERS=(clang-format-19 clang-tidy-19)
FUZZERS=(clang-19 libclang-rt-19-dev)
BENCHERS=(wrk nginx redis-server gnuplot-nox graphviz)

as_root() {
  if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

is_installed() {
  [[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" == installed ]]
}

# A JDK, since the tests compile a program against Kafka's own client.
has_java() {
  local version
  command -v java > /dev/null || return 1
  version="$(javac -version 2>&1 | sed -nE 's/^javac ([0-9]+).*/\1/p')"
  ((${version:-0} >= JAVA_VERSION_MIN))
}

# Debian's npm and others' nodejs, which has one inside, exclude each other.
has_npm() {
  command -v node > /dev/null && command -v npm > /dev/null
}

missing_packages() {
  local package
  for package in "$@"; do
    is_installed "$package" || echo "$package"
  done
}

install_packages() {
  local log
  log="$(mktemp)"
  echo "installing: $*"
  if ! {
    as_root apt-get update -q -o Acquire::Retries=3 &&
      as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a apt-get install -q -y \
        --no-install-recommends -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "$@"
  } > "$log" 2>&1 < /dev/null; then
    tail -n 30 "$log" >&2
    echo "install.sh: apt failed; its whole output is in $log" >&2
    exit 1
  fi
  rm -f "$log"
}

# Debian starts servers that nobody asked for, now and at every boot; those needed are private ones.
stop_debians_service() {
  if [[ -d /run/systemd/system ]]; then
    as_root systemctl disable --now "$1" > /dev/null 2>&1 || true
  else
    as_root service "$1" stop > /dev/null 2>&1 || true
  fi
}

stop_debians_services() {
  local package
  for package in "$@"; do
    case "$package" in
      mariadb-server) stop_debians_service mariadb ;;
      nginx | redis-server | haproxy | prometheus) stop_debians_service "$package" ;;
    esac
  done
}

main() {
  local packages=("${BUILDERS[@]}" "${TESTERS[@]}" "${SERVERS[@]}") missing use
  has_java || packages+=(default-jdk-headless)
  has_npm || packages+=(nodejs npm)
  for use in "$@"; do
    case "$use" in
      only-build) packages=("${BUILDERS[@]}") ;;
      lint) packages+=("${LINTERS[@]}") ;;
      fuzz) packages+=("${FUZZERS[@]}") ;;
      bench) packages+=("${BENCHERS[@]}") ;;
    esac
  done
  mapfile -t missing < <(missing_packages "${packages[@]}")
  [[ ${#missing[@]} -eq 0 ]] && return
  install_packages "${missing[@]}"
  stop_debians_services "${missing[@]}"
}

main "$@"
