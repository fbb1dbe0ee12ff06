#!/usr/bin/env bash
# Copies the jars that pom.xml names into libs/; does nothing when they are all there.
set -euo pipefail
cd "$(dirname "$0")"

# What libs/ holds and what it was asked to hold.
fingerprint() {
  sha256sum < pom.xml
  (cd "$1" && stat -c '%n %s' -- *.jar)
}

is_complete() {
  [[ -f libs/.complete ]] && fingerprint libs 2>/dev/null | cmp -s - libs/.complete
}

is_complete && exit 0

exec 9< pom.xml
flock 9
is_complete && exit 0 # somebody else has just fetched them

echo "fetching Kafka's jars from Maven Central (54 MB, once)"
rm -rf libs.new
mvn -q -B dependency:copy-dependencies -DincludeScope=runtime \
  -DoutputDirectory="$PWD/libs.new" < /dev/null
fingerprint libs.new > libs.new/.complete
rm -rf libs
mv libs.new libs
