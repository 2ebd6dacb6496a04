# Everything a user or developer runs. CONTRIBUTING.md says when.

TARGET ?= wasm32-unknown-unknown
export TARGET

# The test host links WASI only for modules that import it.
ifneq (,$(findstring wasi,$(TARGET)))
TESTKIT_FEATURES := --features testkit/wasi
endif

.PHONY: run test policy.wasm annotated-policy.wasm noop.wasm bench fmt lint e2e-tests bless conformance conformance-cluster clean

## run: a whole fleet goes through the compiled policy, object by object
run: policy.wasm
	cargo run --locked --quiet --package testkit $(TESTKIT_FEATURES) --bin run

## test: every test, the compiled module included
test: policy.wasm
	cargo test --locked --workspace --exclude noop-policy --exclude webhook $(TESTKIT_FEATURES)

## policy.wasm: the policy as a wasm32 module, at the root
policy.wasm:
	scripts/wasm.sh metadata-propagation-policy policy.wasm

## annotated-policy.wasm: the same with its metadata, as kwctl and registries want it
annotated-policy.wasm: policy.wasm
	@command -v kwctl >/dev/null || { echo "kwctl is not on the PATH: https://github.com/kubewarden/kwctl" >&2; exit 1; }
	kwctl annotate policy.wasm --metadata-path policy-metadata.yml --usage-path README.md --output-path annotated-policy.wasm

## e2e-tests: the bats files, with kwctl
e2e-tests:
	@command -v bats >/dev/null || { echo "bats is not on the PATH: install bats" >&2; exit 1; }
	@if command -v kwctl >/dev/null; then $(MAKE) annotated-policy.wasm && bats --print-output-on-failure e2e-tests; \
	else echo "kwctl is not on the PATH: the e2e tests did not run"; exit 1; fi

noop.wasm:
	scripts/wasm.sh noop-policy noop.wasm

## bench: the policy against a no-op module of the same toolchain
bench: policy.wasm noop.wasm
	cargo run --locked --profile bench --package testkit $(TESTKIT_FEATURES) --bin bench

## bless: rewrite what the tests expect, for review in the diff
bless: policy.wasm
	BLESS=1 cargo test --locked --workspace --exclude noop-policy --exclude webhook $(TESTKIT_FEATURES)

## conformance: the policy against Cluster API itself
conformance: conformance-cluster

## conformance-cluster: the compiled policy and Cluster API's real controllers, on a real API server
conformance-cluster: policy.wasm
	scripts/real-controllers.sh

fmt:
	cargo fmt --all

lint:
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- --deny warnings

clean:
	cargo clean
	rm -f policy.wasm annotated-policy.wasm noop.wasm
