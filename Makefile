# Two commands: `make demo` and `make test`. Each installs what is missing, builds what has changed, and runs.
# People who use CMake directly find the same configurations in CMakePresets.json.

PYTHON := /usr/bin/python3
JOBS ?= $(shell nproc)
# Lists of packages are read by tools/setup.sh; it does nothing where all of them are installed.
SETUP := tools/setup.sh
CONFIGURE := cmake --preset
BENCH_ARGUMENTS ?=
STUDY_ARGUMENTS ?=
STUDY_DIRECTORY ?= out/studies
FUZZ_SECONDS ?= 60
SOAK_SCENES ?= 500
SOAK_KILLS ?= 200
SOAK_SEED ?= 1
SOAK_ARGUMENTS ?=
SOURCES = git ls-files --cached --others --exclude-standard --
section = @printf '\n== %s\n' $(1)

.DEFAULT_GOAL := help
.PHONY: help setup build program mpi test-mpi scene-docs demo studies test checked soak energy asan tsan fuzz format-check lint-setup lint docs bench \
    peers check-exports clean

help: ## list these targets
	@echo 'Limber: make TARGET'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 17

setup: ## install the missing packages of tools/packages.txt (apt-get, as root or with sudo)
	@$(SETUP) tools/packages.txt
	@command -v npm >/dev/null || $(SETUP) tools/packages-npm.txt

build/build.ninja: | setup
	$(call section,'Configure: build/')
	@$(CONFIGURE) release

build: build/build.ninja ## the program, the Python module, tests and benchmarks, in build/
	$(call section,'Build')
	@cmake --build build --parallel $(JOBS)

program: build/build.ninja
	$(call section,'Build the program')
	@cmake --build build --parallel $(JOBS) --target limber_cli

mpi: setup ## the program for several processes, with MPI, PETSc and SLEPc, which it installs: build-mpi/bin/limber
	@$(SETUP) tools/packages-mpi.txt
	$(call section,'Build for several processes: build-mpi/')
	@$(CONFIGURE) mpi
	@cmake --build build-mpi --parallel $(JOBS)

test-mpi: mpi ## runs on 1 to 4 processes: the motion of one
	$(call section,'Tests on several processes')
	@$(PYTHON) -m pytest -q -p no:cacheprovider --durations=5 tests/mpi

scene-docs: program ## docs/scene.schema.json and the tables of docs/scene.md, from the tables in src/limber/scene/
	@build/bin/limber schema -o docs/scene.schema.json --tables docs/scene.md

demo: build/build.ninja ## simulate scenes/beam.json into out/demo/, and make a movie of it
	$(call section,'Build bin/limber')
	@cmake --build build --parallel $(JOBS) --target limber_small
	$(call section,'Run scenes/beam.json')
	@build/bin/limber run scenes/beam.json -o out/demo --overwrite
	$(call section,'Movie: out/demo/beam.mp4')
	@build/bin/limber render out/demo -o out/demo/beam.mp4 --size 480x270 --fps 25 --samples 4
	@cat tools/after_demo.txt

studies: program ## every study of the survey, whole, into STUDY_DIRECTORY (out/studies); STUDY_ARGUMENTS=--quick for minutes
	$(call section,'Studies')
	@build/bin/limber study all -o $(STUDY_DIRECTORY) $(STUDY_ARGUMENTS)

format-check:
	$(call section,'Layers')
	@$(PYTHON) tools/check_layers.py
	$(call section,'Format')
	@if command -v clang-format >/dev/null; then $(SOURCES) '*.cpp' '*.hpp' | xargs clang-format --dry-run --Werror; \
	    else echo 'clang-format is not installed: not checked'; fi

test: setup format-check build ## everything: the layers, the format, C++ tests, Python tests, the viewer in a browser
	$(call section,'C++ tests')
	@ctest --test-dir build --output-on-failure --no-tests=error --parallel $(JOBS)
	$(call section,'Python tests')
	@PYTHONUNBUFFERED=1 PYTHONPATH=build/python $(PYTHON) -m pytest -q -p no:cacheprovider --durations=5 \
	    --numprocesses=$(JOBS) --dist=loadfile tests/python
	$(call section,'Tests of the viewer in a browser: build/web-tests/ (pictures: out/view-shots/)')
	@mkdir -p build/web-tests && cp -p tests/web/* build/web-tests/
	@cd build/web-tests && { test node_modules -nt package-lock.json || npm ci --no-audit --no-fund --loglevel=error; }
	@LIMBER_ROOT=$(CURDIR) node --test --test-concurrency=1 --test-reporter=spec build/web-tests/*.test.mjs
	@printf '\nAll tests passed.\n'

CHECKED_TESTS := core model time solve contact
checked: setup ## C++ tests of core, model, time, solve and contact once more, with assertions, in build-checked/
	$(call section,'Build with assertions: build-checked/')
	@$(CONFIGURE) checked
	@cmake --build build-checked --parallel $(JOBS) --target $(CHECKED_TESTS:%=test_%)
	$(call section,'C++ tests with assertions')
	@for room in $(CHECKED_TESTS); do build-checked/bin/test_$$room --gtest_brief=1 || exit 1; done
	@printf '\nNo assertion failed.\n'

soak: program ## SOAK_SCENES random scenes of SOAK_SEED, and SOAK_KILLS kills with resume; what goes wrong stays in out/soak/
	$(call section,'Soak')
	@$(PYTHON) tests/soak/soak.py build/bin/limber -o out/soak --seed $(SOAK_SEED) --scenes $(SOAK_SCENES) --kills $(SOAK_KILLS) \
	    --jobs $(JOBS) $(SOAK_ARGUMENTS)

energy: build ## the energy of every method: bars that spin, beams that are let go, all steps and stiffnesses, a few minutes
	$(call section,'Energy of all methods')
	@LIMBER_ENERGY=all build/bin/test_scene --gtest_filter='*Energy*' --gtest_brief=1
	@printf '\nNo method gains energy.\n'

asan: setup ## C++ tests under the address and undefined-behaviour sanitizers, in build-asan/
	$(call section,'Build with sanitizers: build-asan/')
	@$(CONFIGURE) asan
	@cmake --build build-asan --parallel $(JOBS)
	$(call section,'C++ tests under the sanitizers')
	@UBSAN_OPTIONS=print_stacktrace=1 ctest --test-dir build-asan --output-on-failure --no-tests=error --parallel $(JOBS)
	@printf '\nNo sanitizer complained.\n'

tsan: setup ## C++ tests under the thread sanitizer, in build-tsan/
	$(call section,'Build with the thread sanitizer: build-tsan/')
	@$(CONFIGURE) tsan
	@cmake --build build-tsan --parallel $(JOBS)
	$(call section,'C++ tests under the thread sanitizer')
	@TSAN_OPTIONS=ignore_noninstrumented_modules=1:history_size=4 \
	    ctest --test-dir build-tsan --output-on-failure --no-tests=error --parallel $(JOBS)
	@printf '\nNo race was seen.\n'

fuzz: setup ## damaged meshes, surfaces and checkpoints to all who read them, and hostile pages to the viewer, under the sanitizers, in build-asan/
	$(call section,'Build with sanitizers: build-asan/')
	@$(CONFIGURE) asan
	@cmake --build build-asan --parallel $(JOBS) --target test_mesh test_view test_scene
	$(call section,'Damaged files')
	@LIMBER_FUZZ_SECONDS=$(FUZZ_SECONDS) UBSAN_OPTIONS=print_stacktrace=1 build-asan/bin/test_mesh --gtest_filter='*Fuzz*'
	$(call section,'Hostile pages')
	@LIMBER_FUZZ_MESSAGES=100000 LIMBER_FUZZ_FILES=10000 UBSAN_OPTIONS=print_stacktrace=1 build-asan/bin/test_view --gtest_filter='*Fuzz*'
	$(call section,'Damaged checkpoints')
	@LIMBER_FUZZ_CHECKPOINTS=10000 UBSAN_OPTIONS=print_stacktrace=1 build-asan/bin/test_scene --gtest_filter='*CheckpointFuzz*'
	@printf '\nEvery reader survived.\n'

lint-setup: setup
	@$(SETUP) tools/packages-lint.txt

lint: lint-setup format-check ## format, warnings as errors, clang-tidy, structure, the page's types, in build-lint/ and build-tidy/
	$(call section,'Build with warnings as errors: build-lint/')
	@$(CONFIGURE) lint
	@cmake --build build-lint --parallel $(JOBS)
	$(call section,'clang-tidy')
	@$(CONFIGURE) tidy > build-lint/tidy.log || { cat build-lint/tidy.log; exit 1; }
	@mkdir -p build-tidy/web && cp build-lint/web/page_files.cpp build-tidy/web/
	@sed -n 's/.*"file": "\(.*\)".*/\1/p' build-tidy/compile_commands.json | xargs -n 1 -P $(JOBS) clang-tidy -p build-tidy --quiet \
	    --checks=-bugprone-suspicious-include --extra-arg=-Wno-unused-command-line-argument \
	    --extra-arg=-Wno-unsupported-floating-point-opt
	$(call section,'Structure')
	@$(PYTHON) tools/structure.py --check
	$(call section,'Types in web/: build-lint/web/')
	@mkdir -p build-lint/web && cp -rp web/. build-lint/web/
	@cd build-lint/web && npm ci --no-audit --no-fund --loglevel=error && npm run --silent check
	@printf '\nNothing to complain about.\n'

check-exports: program ## read exports with Blender, ParaView, the glTF validator and a USD parser, which it installs
	@$(SETUP) tools/packages-exports.txt
	$(call section,'Packages of npm: build/exports/')
	@mkdir -p build/exports && cp tests/exports/package.json build/exports/
	@npm install --prefix build/exports --no-audit --no-fund --loglevel=error
	$(call section,'Exports')
	@$(PYTHON) tests/exports/check.py build/bin/limber build/exports out/exports

docs: setup ## the C++ interface as web pages, from the comments in the headers, in out/api/html/
	@$(SETUP) tools/packages-docs.txt
	@mkdir -p out/api
	@doxygen docs/Doxyfile
	@printf '\nOpen out/api/html/index.html\n'

bench: program ## times and ratios on this machine; BENCH_ARGUMENTS go to limber bench, such as --quick
	$(call section,'Benchmarks')
	@build/bin/limber bench $(BENCH_ARGUMENTS)

peers: setup ## Limber beside Bullet, which it installs, on scenes/beam.json
	@$(SETUP) tools/packages-peers.txt
	@$(CONFIGURE) release
	@cmake --build build --parallel $(JOBS) --target limber_peers limber_peers-float64
	$(call section,'Peers')
	@build/bin/limber_peers
	@echo
	@build/bin/limber_peers-float64

clean: ## remove build*/ and out/
	rm -rf build build-mpi build-checked build-asan build-tsan build-lint build-tidy out
