# The front door: every target works from a fresh checkout. `make help` lists them.

BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: run test e2e package compare coverage bench lint install conformance clean help deps-build deps-tests deps-lint deps-e2e release

run: release ## build muster and show it at work (the default)
	@test -x $(BUILD)/release/muster || { echo "this checkout has no src/cli/main.c: there is no muster to run" >&2; exit 1; }
	@test -x tools/tour || { echo "tools/tour is missing from this checkout" >&2; exit 1; }
	@MUSTER=$(abspath $(BUILD))/release/muster tools/tour

release: deps-build
	@cmake --preset release -B $(BUILD)/release
	@cmake --build $(BUILD)/release --parallel $(JOBS)

test: deps-build deps-tests ## build with every assertion on, run all tests
	@cmake --preset debug -B $(BUILD)/debug
	@cmake --build $(BUILD)/debug --parallel $(JOBS)
	@ctest --test-dir $(BUILD)/debug --output-on-failure --parallel $(JOBS) --no-tests=error; \
	status=$$?; tools/tally $(BUILD)/debug && exit $$status

e2e: release deps-e2e ## run muster scheduler in a real control plane (builds it once; needs Go 1.26)
	@MUSTER=$(abspath $(BUILD))/release/muster tests/e2e/run

package: release deps-e2e ## make the Debian package
	@cd $(BUILD)/release && cpack -G DEB

coverage: deps-build deps-tests ## which lines and branches the tests execute
	@tools/coverage --build $(BUILD)/cov --jobs $(JOBS) --min src/plugins=95

bench: release ## measure; one JSON line per benchmark
	@bench/run

compare: release deps-e2e ## muster and kube-scheduler, end to end, on one API server (an hour; --quick: bench/compare)
	@MUSTER=$(abspath $(BUILD))/release/muster bench/compare

lint: deps-build deps-tests deps-lint ## formatting, tidy, cppcheck, clang-tidy
	@tools/lint

conformance: release ## compare with the real kube-scheduler, and run its own tests (tools/conformance, tools/upstream-suite)
	@tools/conformance
	@tools/upstream-suite

install: release ## install to $(DESTDIR)$(PREFIX)
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD)/release --prefix "$(PREFIX)"

clean: ## remove everything that was built
	@rm -rf $(BUILD)

deps-build deps-tests deps-lint deps-e2e: deps-%:
	@tools/deps --install $*

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## /{ printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
