# The commands of the project; `make help` lists them. Each does its own set-up first.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

BUILD ?= build
PREFIX ?= /usr/local
REF ?=
TIME ?= 60
DIS ?=
TAG ?=
SUITE ?=
BACKENDS ?= cuda,vulkan
comma := ,
JOBS ?= $(shell tools/jobs.sh)
export BUILD REF DIS TAG

.NOTPARALLEL:
.PHONY: check unit style test-long test-ffmpeg test-ffmpeg-versions test-clients test-meson test-peer arm test-arm test-riscv musl test-musl windows test-windows windows-zip macos fuzz sanitize soak help build check-pair score test test-python sycl python bench bench-peer bench-gpu lint reuse format coverage install dist wheels tester-bundle conformance-kit deb recipes release publish clean setup

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

setup:
	@tools/setup.sh build

# The build system configures itself again when its own files change; the stamp says that the first time went well.
$(BUILD)/.configured: | setup
	@mkdir -p $(BUILD)
	@{ tools/setup.sh python && tools/vapoursynth.sh; } || echo "setup: continuing without VapourSynth; libvship is no plugin, its test is skipped" >&2
	@tools/configure.sh release $(BUILD)
	@touch $@

build: $(BUILD)/.configured ## the commands, into build/bin/
	@cmake --build $(BUILD) --parallel $(JOBS)

check-pair:
	@tools/check_pair.sh

# Without the tests and benchmarks, which take longer than the rest, and without kernels for AMD's GPUs where there is
# none: /dev/kfd is their driver's.
score: check-pair $(BUILD)/.configured ## score a sample pair, or REF=a.mkv DIS=b.mp4
	@cmake --build $(BUILD) --parallel $(JOBS) --target acutance $(if $(wildcard /dev/kfd),acutance_hip_kernels)
	@tools/setup.sh score
	@tools/score.sh

# SYCL's plugin is built where Intel's runtime is found, so that comes first; the Python package links the build.
test: sycl build python ## build and run the tests
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS) --timeout 900 --label-exclude '^long$$'

check: $(BUILD)/.configured ## build and run the tests of one folder: make check T=vif
	@JOBS=$(JOBS) tools/check.sh "$(T)"

unit: $(BUILD)/.configured ## the quick tests, without sweeps, devices and whole commands
	@cmake --build $(BUILD) --parallel $(JOBS) --target unit_tests
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS) --label-regex '^unit$$'

test-long: sycl build python ## and what make test leaves out: more turns of the same tests, more SYCL wave sizes
	@ACUTANCE_LONG_TESTS=1 ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS) --timeout 1800

sycl:
	@tools/setup.sh test
	@tools/sycl_runtime.sh || echo "setup: continuing without SYCL; its tests are skipped" >&2

test-ffmpeg: build ## build Debian's ffmpeg on the installed acutance and compare its scores
	@tools/setup.sh score ffmpeg
	@tools/sample_pair.sh
	@tests/clients/build_ffmpeg.sh
	@python3 -B tests/clients/test_ffmpeg.py

test-ffmpeg-versions: build ## the readers on the FFmpeg of PyAV's wheels; ROOTS="FOLDER ..." adds unpacked systems
	@tools/setup.sh test
	@cmake --build $(BUILD) --parallel $(JOBS) --target frame_hashes
	@python3 -B tests/io/ffmpeg_versions.py $(ROOTS)

test-clients: build ## pyvmaf, vmaf-mcp, easyvmaf and other clients, over a newer ffmpeg
	@tools/setup.sh score ffmpeg
	@tools/sample_pair.sh
	@tests/clients/build_ffmpeg.sh sid
	@python3 -B tests/clients/test_ffmpeg.py sid
	@tests/clients/install_clients.sh
	@$(BUILD)/clients/venv/bin/python -B tests/clients/test_clients.py
	@python3 -B tests/clients/test_encoders.py

test-peer: build ## every option and model against libvmaf 3.2 in PyPI's imageio-ffmpeg
	@tools/venv.sh imageio-ffmpeg==0.8.1
	@python3 -B tests/clients/test_peer.py

test-meson: build ## libvmaf by Meson, as five recipes build it, and a static ffmpeg on it
	@tools/setup.sh test
	@ACUTANCE_LIBRARY=$(BUILD)/lib ACUTANCE_MESON=build python3 -B tests/meson/test_meson.py
	@tools/setup.sh score ffmpeg
	@tools/sample_pair.sh
	@tools/venv.sh imageio-ffmpeg==0.8.1
	@tests/clients/build_ffmpeg.sh static
	@python3 -B tests/clients/test_static.py

arm: ## the programs for aarch64 by Debian's cross compiler, into build-arm/bin/
	@tools/setup.sh build arm
	@tools/arm_sysroot.sh build-arm/sysroot
	@[ -e build-arm/build.ninja ] || [ -e build-arm/Makefile ] || tools/configure.sh arm build-arm
	@cmake --build build-arm --parallel $(JOBS)

test-arm: arm build ## the tests that end in time under qemu-user, and logs equal to this machine's
	@cmake --build build-arm --parallel $(JOBS) --target adm_test exact_math_test fiber_test motion_test psnr_test simd_test vif_test
	@JOBS=$(JOBS) tools/test_arm.sh build-arm $(BUILD)

test-riscv: build ## libvmaf and vmaf for riscv64 by Meson: logs under qemu-user equal to this machine's
	@tools/setup.sh riscv
	@JOBS=$(JOBS) tools/test_cross.sh riscv64 $(BUILD)

musl: ## the programs for musl (Alpine) by PyPI's zig, static, for the CPU alone, into build-musl/bin/
	@tools/setup.sh build musl
	@BUILD=build-musl tools/musl_compiler.sh build-musl/compiler
	@tools/cross_sysroot.sh build-musl/sysroot cmake/x86_64-linux-musl.cmake
	@[ -e build-musl/build.ninja ] || [ -e build-musl/Makefile ] || tools/configure.sh musl build-musl
	@cmake --build build-musl --parallel $(JOBS)

test-musl: musl build ## libvmaf and vmaf by Meson for musl, then the programs of make musl: logs equal to this machine's
	@tools/setup.sh musl
	@JOBS=$(JOBS) tools/test_cross.sh musl $(BUILD)
	@python3 -B tests/arm/same_logs.py $(BUILD)/bin/vmaf build-musl/bin/vmaf

windows: ## the programs for Windows by mingw-w64, and FFmpeg's DLLs, into build-windows/bin/
	@tools/setup.sh build ffmpeg windows
	@tools/cross_sysroot.sh build-windows/sysroot cmake/x86_64-w64-mingw32.cmake
	@[ -e build-windows/build.ninja ] || [ -e build-windows/Makefile ] || tools/configure.sh windows build-windows
	@cmake --build build-windows --parallel $(JOBS)
	@tools/ffmpeg_libraries.sh build-windows/ffmpeg windows
	@cp build-windows/ffmpeg/lib/*.dll build-windows/bin/

test-windows: windows build ## under wine: unit tests, logs equal to this machine's, names, pipes
	@tools/setup.sh score wine
	@JOBS=$(JOBS) tools/test_windows.sh build-windows $(BUILD)

windows-zip: windows ## the programs and libraries for Windows as a zip, into build/dist/
	@cmake --build build-windows --parallel $(JOBS) --target vmaf_shared vship_shared
	@python3 -B tools/windows_zip.py build-windows $(BUILD)/dist

macos: ## the commands and libvmaf for macOS by PyPI's zig, for the CPU alone, into build-macos-aarch64/; MACHINE=x86_64
	@tools/setup.sh build macos
	@JOBS=$(JOBS) tools/macos.sh $(or $(MACHINE),aarch64) build-macos-$(or $(MACHINE),aarch64)

python: build
	@tools/setup.sh python
	@tools/python_package.sh || echo "setup: continuing without the Python package; its tests are skipped" >&2

test-python: python ## the Python package: install it into build/venv, run its tests
	@ctest --test-dir $(BUILD) --output-on-failure --tests-regex '^python$$'

fuzz: ## run each fuzz target for TIME=60 seconds
	@tools/setup.sh build fuzz
	@JOBS=$(JOBS) tools/fuzz.sh run $(TIME)

sanitize: ## the tests under ASan and UBSan, then under TSan
	@tools/setup.sh build
	@JOBS=$(JOBS) tools/sanitize.sh asan
	@JOBS=$(JOBS) tools/sanitize.sh tsan

soak: build ## an hour of random clips, settings and faults; SOAK="--minutes 5 --backends cuda"
	@python3 -B tests/soak/soak.py --build $(BUILD) $(SOAK)

bench: build bench-peer ## the metrics' benchmarks, then the comparison with libvmaf
	@cmake --build $(BUILD) --parallel $(JOBS) --target benchmarks
	@python3 bench/metrics.py --build $(BUILD)

bench-peer: build
	@tools/setup.sh bench
	@tools/venv.sh imageio-ffmpeg==0.8.1
	@tools/sample_pair.sh
	@$(BUILD)/venv/bin/python bench/compare_peer.py --build $(BUILD)

bench-gpu: build ## device times of every metric and end-to-end speed, on BACKENDS=cuda,vulkan
	@for backend in $(subst $(comma), ,$(BACKENDS)); do $(BUILD)/tests/gpu_check times $$backend; done
	@python3 bench/end_to_end.py --build $(BUILD) --backends $(BACKENDS)

style: ## formatting, shell scripts, layers and structure, without a build
	@tools/setup.sh style
	@tools/style.sh

lint: $(BUILD)/.configured ## style, then clang-tidy
	@tools/setup.sh lint
	@JOBS=$(JOBS) tools/lint.sh

reuse: ## the licence and copyright of every file
	@tools/setup.sh python
	@tools/venv.sh reuse==4.0.3
	@$(BUILD)/venv/bin/reuse lint --quiet

format: ## rewrite all sources with clang-format
	@tools/setup.sh style
	@tools/sources.sh | xargs clang-format -i

coverage: ## line coverage of the tests, build-coverage/coverage/index.html
	@tools/setup.sh build coverage
	@JOBS=$(JOBS) tools/coverage.sh

install: build ## commands, libraries, licences and manual pages, into PREFIX=/usr/local
	@cmake --install $(BUILD) --prefix $(PREFIX)

dist: ## the source archive and the binary one for glibc 2.28 and later, into build/dist/; MACHINE=aarch64 builds for that
	@tools/dist.sh
	@tools/setup.sh build
	@JOBS=$(JOBS) tools/dist_binary.sh

tester-bundle: ## the self-test of GPUs as one file that runs without installing, into build/dist/; ACUTANCE_HOME: where reports go
	@tools/setup.sh build
	@JOBS=$(JOBS) tools/tester_bundle.sh

wheels: ## a Python wheel with the commands and FFmpeg's decoders, into build/dist/; PYTHONS="python3.12 ..." names others than python3; MACHINE=aarch64
	@tools/setup.sh build ffmpeg wheels
	@JOBS=$(JOBS) tools/wheels.sh $(PYTHONS)

deb: ## Debian's packages, into build/deb/; SUITE=trixie: built there in a chroot, with Python's
	@tools/deb.sh $(SUITE)

recipes: ## the recipes of packaging/ with the source archive's checksums, into build/dist/recipes/
	@tools/dist.sh
	@tools/recipes.py $(BUILD)/dist $(BUILD)/dist/recipes

release: ## all that a release has, with checksums, after make dist and make wheels, into build/release/
	@tools/release.sh

publish: ## upload build/release/ to GitHub as the release of TAG=vX.Y.Z
	@tools/release.sh publish

conformance-kit: build ## clips, golden values and a page for testing any program with libvmaf's options, into build/conformance-kit/
	@tools/conformance_kit.sh $(BUILD) $(BUILD)/conformance-kit

clean: ## remove all that make has written
	rm -rf $(BUILD) build-arm build-musl build-windows build-macos-* build-dist-* build-dev build-asan build-tsan build-coverage build-fuzz
