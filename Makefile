# Names for the commands; what they do is in CMakePresets.json, deploy/ and tests/.
.DEFAULT_GOAL := help
.PHONY: help deps install packages build build-tests build-fuzzers check test test-all test-slice budget test-mysql test-deploy check-debian13 lint check-format sanitize fuzz soak bench \
  run stack stack-down format figures clean

RELEASE := build/release
PROGRAMS := fanfold fanfold-writer fanfold-projector fanfold-reader
BASELINES := bench_raw_upsert bench_raw_sqlite_upsert bench_bare_produce bench_redis_load \
  bench_raw_relations bench_feed_merge bench_inbox_deliveries bench_bare_chain bench_everyday_load bench_everyday_transaction
JOBS ?= $(shell nproc)
MINUTES ?= 10
RUNS ?= 10000000
PREFIX ?= /usr/local
PROVE := python3 -B tests/prove.py
CTEST := ctest --output-on-failure --no-tests=error -j $(JOBS)
SANITIZED_LABELS := unit|contract|model|simulation|fuzz
# Where the kernel spreads addresses wider than g++ 12's TSan can map, it must not spread them.
FIXED_ADDRESSES = $(shell setarch -R true 2>/dev/null && echo setarch -R)
TSAN := TSAN_OPTIONS="suppressions=$(CURDIR)/tests/support/tsan.supp"

help: ## this list
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

deps: ## the Debian packages that are missing
	@deploy/install.sh

build: deps ## the programs, in build/release/bin
	@cmake --preset release > /dev/null
	@cmake --build --preset release -j $(JOBS) --target $(PROGRAMS)

build-tests: deps
	@cmake --preset release > /dev/null
	@cmake --build --preset release -j $(JOBS)

build-fuzzers: deps
	@deploy/install.sh fuzz
	@cmake --preset fuzz > /dev/null
	@cmake --build --preset fuzz -j $(JOBS)

install: build ## the programs, units and documents into PREFIX=/usr/local, below DESTDIR=
	@DESTDIR=$(DESTDIR) cmake --install $(RELEASE) --prefix $(PREFIX)

packages: build ## Debian packages, in build/packages
	@cpack --config $(RELEASE)/CPackConfig.cmake -B build/packages > /dev/null
	@ls build/packages/*.deb

check: deps ## unit, model and simulation tests; T=http: of one library, and 200 seeds, in a minute
	@$(PROVE) check $(T)

test: deps ## what a landing proves, on a real Kafka and MariaDB too
	@$(PROVE) test

test-all: deps ## everything: long runs, other seeds, fuzzing, three machines, other systems, what other registries bring
	@deploy/install.sh fuzz
	@$(PROVE) all

test-slice: deps ## an eighth of what test-all has beyond test: N=0 to 7
	@deploy/install.sh fuzz
	@$(PROVE) slice $(N)

budget: deps ## runs test and writes down what its phases and tests took
	@$(PROVE) budget

test-mysql: deps ## the contracts of the tables on a real MySQL, which comes from Debian's unstable into build/
	@cmake --preset release > /dev/null
	@cmake --build --preset release -j $(JOBS) --target contract_mysql
	@$(CTEST) --test-dir $(RELEASE) -C all -L mysql

check-format:
	@deploy/install.sh lint
	@deploy/lint.py format $(RELEASE)

test-deploy: packages ## docs/DEPLOY.md, word by word, on three machines of namespaces: a quarter of an hour
	@cmake --preset release > /dev/null
	@$(CTEST) --test-dir $(RELEASE) -C all -R packages.deploy

check-debian13: deps ## check in Debian 13, which comes into build/, and a login there by SCRAM: an hour, later minutes
	@cmake --preset release > /dev/null
	@$(CTEST) --test-dir $(RELEASE) -C all -R packages.debian13

lint: check-format deps ## clang-format and clang-tidy
	@cmake --preset lint > /dev/null
	@deploy/lint.py tidy build/lint

sanitize: deps ## unit, contract, model and simulation tests under ASan+UBSan, and under TSan
	@deploy/kafka/fetch.sh
	@cmake --preset dev > /dev/null && cmake --build --preset dev -j $(JOBS)
	@$(CTEST) --test-dir build/dev -L '$(SANITIZED_LABELS)'
	@cmake --preset tsan > /dev/null && cmake --build --preset tsan -j $(JOBS)
	@$(TSAN) $(FIXED_ADDRESSES) $(CTEST) --test-dir build/tsan -L '$(SANITIZED_LABELS)'

fuzz: build-fuzzers ## RUNS=10000000 runs of each fuzz target, or of TARGETS='a b'; what they find stays in build/fuzz
	@python3 -B tests/fuzz/fuzz.py run $(RUNS) $(TARGETS)

soak: build-tests ## random faults under load for MINUTES=10, on three brokers; SEED=n repeats a schedule, FAULTS=kill takes some
	@deploy/kafka/fetch.sh
	@FANFOLD_NEMESIS_SECONDS=$$(( $(MINUTES) * 60 )) FANFOLD_NEMESIS_SEED=$(SEED) FANFOLD_NEMESIS_BROKERS=3 \
	  FANFOLD_NEMESIS_FAULTS='$(FAULTS)' \
	  FANFOLD_BIN=$(CURDIR)/$(RELEASE)/bin python3 -B tests/robustness/nemesis_test.py Nemesis

bench: build ## the benchmarks, each beside its baseline; figures in var/bench
	@deploy/install.sh bench
	@cmake --build --preset release -j $(JOBS) --target $(BASELINES)
	@bench/run

run: build ## Fanfold in one process on var/fanfold with a sample graph, until Ctrl-C
	@exec deploy/local/run

stack: build ## Kafka, MariaDB and all services in the background; state in var/stack
	@deploy/local/stack up

stack-down: ## stops what make stack started
	@deploy/local/stack down

format: ## clang-format over every tracked source
	@deploy/install.sh lint
	@git ls-files '*.h' '*.cc' | xargs -r clang-format-19 -i

figures: ## docs/images/flow.svg from flow.dot, and benchmarks.svg from what var/bench holds
	@deploy/install.sh bench
	@dot -Tsvg docs/images/flow.dot -o docs/images/flow.svg
	@bench/run --plot

clean: ## removes build/; var/ stays
	@rm -rf build
