# Everything a user or developer runs. CONTRIBUTING.md and verification/README.md say when.

TARGET ?= wasm32-unknown-unknown
export TARGET

# The test host links WASI only for modules that import it.
ifneq (,$(findstring wasi,$(TARGET)))
TESTKIT_FEATURES := --features testkit/wasi
endif

# The command line is tested as it is released.
FEATURES := --features propagate/cluster $(TESTKIT_FEATURES)
# Programs and modules without tests.
NO_TESTS := bindings canned-policy noop-policy ordinary-policy webhook
# The engine, and the crates that it is made of.
ENGINE := metadata-propagation cloud-tags cluster-api kubernetes raw-json tag-delivery tag-rules
# The modules that the policy is compared with, and the policy with the names of its functions.
COMPARED := verification/scripts/wasm.sh noop-policy noop.wasm && verification/scripts/wasm.sh ordinary-policy ordinary.wasm
NAMED := CARGO_TARGET_DIR=target/named CARGO_PROFILE_RELEASE_STRIP=debuginfo verification/scripts/wasm.sh metadata-propagation-policy target/named/policy.wasm

.PHONY: run playground \
	quick test lint bless e2e-tests playground-test fuzz mutants status \
	policy.wasm annotated-policy.wasm carriers pages \
	bench profile bench-check scale \
	conformance conformance-vectors conformance-cluster conformance-plan conformance-crossplane conformance-plan-tags conformance-model conformance-live conformance-slice policy-server-test \
	registry-test release-dry-run

# Run

## run: one label from class to Node, then a whole fleet, through the compiled policy, object by object
# The module is optimized as a whole, on one core, while the other one builds the host.
run:
	cargo build --locked --package tasks $(TESTKIT_FEATURES) --bin run & $(MAKE) policy.wasm && wait
	cargo run --locked --quiet --package tasks $(TESTKIT_FEATURES) --bin run

## playground: the engine on a page, served on loopback; PORT=8080 where nothing else is said
PORT ?= 8080
playground:
	verification/scripts/playground.sh
	node playground/web/serve.mjs $(PORT)

# Test

## quick: between two edits: the engine, its corpus, and the sessions of the command line, without the compiled module
quick:
	cargo test --locked $(addprefix --package ,$(ENGINE)) --lib --test cases --test corpus --test settings
	cargo test --locked --package fleet --package propagate --lib --bins --test cli --test corpus

## test: every test, the compiled module included
test: policy.wasm
	cargo test --locked --workspace $(addprefix --exclude ,$(NO_TESTS)) $(FEATURES)

## lint: formatting, and clippy with warnings denied; vulnerabilities, licenses and sources of dependencies, as far as they can be checked here
lint:
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets --features propagate/cluster -- --deny warnings
	cargo clippy --locked --package propagate --all-targets -- --deny warnings
	verification/scripts/dependencies.sh

## bless: rewrite what the tests expect, for review in the diff
bless: policy.wasm
# docs/settings.md first: other tests read it.
	BLESS=1 cargo test --locked --package documents --test generated settings
	BLESS=1 TRYCMD=overwrite cargo test --locked --no-fail-fast --workspace $(addprefix --exclude ,$(NO_TESTS)) $(FEATURES)

## e2e-tests: the bats files, with kwctl
e2e-tests:
	@command -v bats >/dev/null || { echo "bats is not on the PATH: install bats" >&2; exit 1; }
	@command -v kwctl >/dev/null || { echo "kwctl is not on the PATH: the e2e tests did not run" >&2; exit 1; }
	$(MAKE) annotated-policy.wasm
	cargo run --locked --quiet --package tasks $(TESTKIT_FEATURES) --bin fixtures
	bats --print-output-on-failure e2e-tests

## playground-test: the corpus through the page's function, and the page in a real browser
playground-test:
	verification/scripts/playground.sh
	cargo test --locked --package playground
	RESULT=$(CURDIR)/target/playground/results/playground-test.json verification/scripts/recorded.sh target/playground/results \
		npm --prefix playground/web test

## fuzz: FUZZ_RUNS executions of each fuzz target, or of one: make fuzz FUZZ_TARGETS=settings
FUZZ_RUNS ?= 100000
FUZZ_TARGETS ?= review settings looked_up
# Without a nightly compiler the stable one passes for it. The code has nothing unsafe: no sanitizer is needed.
FUZZ := $(if $(shell rustup toolchain list 2>/dev/null | grep nightly),cargo +nightly,RUSTC_BOOTSTRAP=1 cargo) fuzz
fuzz:
	@command -v cargo-fuzz >/dev/null || { echo "cargo-fuzz is not on the PATH: cargo install cargo-fuzz" >&2; exit 1; }
	cargo run --locked --quiet --package tasks --no-default-features --bin generate -- seeds
	@set -e; for target in $(FUZZ_TARGETS); do \
		$(FUZZ) run --fuzz-dir verification/fuzz --sanitizer none --no-trace-compares $$target -- \
			-runs=$(FUZZ_RUNS) -max_len=2048 -dict=verification/fuzz/words.dict -print_final_stats=1; \
	done

## mutants: small changes of the decisions that no test notices; with cargo-mutants. Of one crate: make mutants CRATE=raw-json;
## of the cells of the tables: CRATE=tables; of files: FILES=crates/cluster-api/src/propagation/own*.rs; of what changed since a commit: make mutants SINCE=main
mutants:
	@command -v cargo-mutants >/dev/null || { echo "cargo-mutants is not on the PATH: cargo install cargo-mutants --version 27.1.0 --locked" >&2; exit 1; }
	verification/scripts/mutants.sh "$(CRATE)" "$(FILES)" "$(SINCE)"

## status: what the checks that `make test` does not run found last, whether that is still true, and what to run
status:
	@cargo run --locked --quiet --package tasks --no-default-features --bin results -- status

# Build

## policy.wasm: the policy as a wasm32 module, at the root
policy.wasm:
	verification/scripts/wasm.sh metadata-propagation-policy policy.wasm

## annotated-policy.wasm: the same with its metadata, as kwctl and registries want it
annotated-policy.wasm: policy.wasm
	@command -v kwctl >/dev/null || { echo "kwctl is not on the PATH: https://github.com/kubewarden/kwctl" >&2; exit 1; }
	kwctl annotate policy.wasm --metadata-path policy-metadata.yml --usage-path docs/usage.md --output-path annotated-policy.wasm

## carriers: the tag fields of one provider, from a provider's definitions: make carriers CRDS=FOLDER RELEASE="provider-upjet-aws v2.6.0"
carriers:
	@test -d "$(CRDS)" && test -n "$(RELEASE)" || { echo 'usage: make carriers CRDS=FOLDER RELEASE="owner/name version"' >&2; exit 1; }
	cargo run --locked --quiet --package tasks --no-default-features --bin generate -- carriers "$(CRDS)" "$(RELEASE)"

## pages: the documentation as a site, in target/pages; with mkdocs
pages:
	verification/scripts/pages.sh

# Measure

## bench: the policy against a no-op module and the ordinary way, and with COMPARE=other.wasm against other builds
bench: policy.wasm
	$(COMPARED)
	$(NAMED)
	verification/scripts/recorded.sh target/bench-results \
		cargo run --locked --profile bench --package tasks $(TESTKIT_FEATURES) --bin bench -- target/bench-results/bench.json $(abspath $(COMPARE))

## profile: which functions execute the instructions of each review, or of one: make profile REVIEW="60 labels"
profile:
	$(NAMED)
	cargo run --locked --package tasks $(TESTKIT_FEATURES) --bin profile -- target/named/policy.wasm "$(REVIEW)"

## bench-check: every verb of the command line over generated fleets, and plan of 1,000 Clusters: seconds, and megabytes at most
bench-check:
	cargo build --locked --profile bench --package propagate --package fleet --examples --bins
	verification/scripts/bench-check.sh target/release 10000 100000

## scale: a large fleet, load, several replicas and faults on a real PolicyServer: verification/tools/policy-server/README.md; with policy-server, kwctl and Go.
## More Machines: make scale CLUSTERS=20 MACHINES=25; runs of each fleet: ROUNDS=3; how long memory is watched: MINUTES=10
export CLUSTERS MACHINES ROUNDS MINUTES FLEETS
scale:
	@for tool in policy-server kwctl go; do \
		command -v $$tool >/dev/null || { echo "$$tool is not on the PATH: nothing was measured" >&2; exit 1; }; done
	$(MAKE) annotated-policy.wasm
	$(COMPARED)
	verification/scripts/scale.sh annotated-policy.wasm noop.wasm ordinary.wasm

# Verify: against the real programs

## conformance: the policy against Cluster API and Crossplane themselves, and the model and the command line against an API server
# One after the other: beside another one, a fleet may not settle in time.
conformance: conformance-vectors conformance-cluster conformance-crossplane conformance-model conformance-live

## conformance-vectors: what Cluster API's own functions say, asked again; fails if they say something else than what is committed
conformance-vectors:
	@command -v go >/dev/null || { echo "go is not on the PATH: Go 1.26 or newer asks Cluster API's functions" >&2; exit 1; }
	cd verification/conformance/functions && go run .
	cd verification/conformance/functions && go run ./topology ../../../testdata/topology/*.yaml
	cd verification/conformance/functions && go run ./topology -schemas -out ../../../propagate/topology/src/definitions
	cd verification/conformance/functions && go run ./topology -functions ../../../testdata/topology/functions.json
	cd verification/conformance/functions && go run ./topology -violations ../../../testdata/topology/violations.json
	cd verification/conformance/functions-older && go run . && go run -modfile v1.9.mod -tags v1.9 .
	@git diff --stat --exit-code -- testdata/conformance testdata/topology propagate/topology/src/definitions || { echo "the answers changed: review them" >&2; exit 1; }

## conformance-cluster: the compiled policy and Cluster API's real controllers, on a real API server; some of the
## scenarios: SCENARIOS=ownership,kubelet; an older Cluster API: CAPI=v1.12
conformance-cluster: policy.wasm
	verification/scripts/real.sh cluster $(if $(SCENARIOS),-scenarios $(SCENARIOS)) $(if $(CAPI),-capi $(CAPI))

## conformance-plan: what `propagate plan` predicts and what Cluster API's real controllers do; also a part of conformance-cluster
conformance-plan:
	$(MAKE) conformance-cluster SCENARIOS=plan

## conformance-crossplane: the compiled policy and Crossplane's real core, on a real API server
conformance-crossplane: policy.wasm
	verification/scripts/real.sh crossplane $(if $(SCENARIOS),-scenarios $(SCENARIOS))

## conformance-plan-tags: what `propagate plan` predicts of tags and what Crossplane's real core does; also a part of conformance-crossplane
conformance-plan-tags:
	$(MAKE) conformance-crossplane SCENARIOS=plan

## conformance-model: random paths of the model, on a real API server with the compiled policy in front; another seed: SEED=2
SEED ?= 1
conformance-model: policy.wasm
	verification/scripts/real.sh model $(SEED)

## conformance-live: `propagate` asks a real API server with 2,000 objects; OBJECTS=10000 for more
OBJECTS ?= 2000
conformance-live:
	verification/scripts/real.sh live $(OBJECTS)

## conformance-slice: a part of the two that need no patience: Cluster API and Crossplane, in at most MINUTES (15)
MINUTES_OF_SLICE ?= 15
conformance-slice: policy.wasm
	verification/scripts/conformance-slice.sh $(MINUTES_OF_SLICE)

## policy-server-test: the policies of deploy/ in a real PolicyServer; with policy-server, kwctl and Go. NOOP=noop.wasm, which `make bench` builds, measures
policy-server-test:
	@for tool in policy-server kwctl go; do \
		command -v $$tool >/dev/null || { echo "$$tool is not on the PATH: the policy-server test did not run" >&2; exit 1; }; done
	$(MAKE) annotated-policy.wasm
	verification/scripts/policy-server-test.sh annotated-policy.wasm $(NOOP)

# Release

## registry-test: push, sign, verify, pull and run, against a registry on loopback; with kwctl and Go
registry-test:
	@command -v kwctl >/dev/null || { echo "kwctl is not on the PATH: the registry test did not run" >&2; exit 1; }
	@command -v go >/dev/null || { echo "go is not on the PATH: Go 1.26 or newer builds the registry and cosign" >&2; exit 1; }
	$(MAKE) policy.wasm
	verification/scripts/registry-test.sh policy.wasm

## release-dry-run: all that a release makes, in target/release-dry-run, without publishing it; with Go, kwctl, jq, cargo-cyclonedx, clang,
## musl-tools and qemu-user
release-dry-run:
	verification/scripts/release-dry-run.sh
