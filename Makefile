# make demo | dev | check | t | format | test | bench | compare | paper | clean; CONTRIBUTING.md explains them.
# Needs Python 3.10+, a C++20 compiler and make. The rest is installed into .venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   := $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
OUT    := out
MODEL  := examples/lighthouse.obj

export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

DEV_BUILD      := build/dev
BUILD_REQUIRES := $(shell sed -n 's/^requires = \[\(.*\)\]$$/\1/p' pyproject.toml | sed 's/", "/" "/g')

SOURCES := pyproject.toml CMakeLists.txt core/CMakeLists.txt \
           $(shell find core bindings src cmake -type f -not -name '*.pyc' 2>/dev/null)

CPP_FILES := $(shell find core bindings examples -name '*.cpp' -o -name '*.hpp')

.PHONY: demo dev check t test format bench stale compare paper clean render-libraries browser reference cpp-tests cpp-tests-sanitized cpp-tests-debug

demo: $(VENV)/.render | render-libraries
	@mkdir -p $(OUT)
	$(BIN)/hitbox fit $(MODEL) -n 96 -o $(OUT)/lighthouse.collider.json -o $(OUT)/lighthouse.glb
	@$(BIN)/hitbox render $(MODEL) $(OUT)/lighthouse.collider.json -o $(OUT)/lighthouse.png

# An editable install: Python runs from src/. Compiles what changed since the last call, the C++ tests too.
dev: $(VENV)/.dev
	@$(BIN)/cmake --build $(DEV_BUILD)
	@$(BIN)/cmake --install $(DEV_BUILD) --prefix "$$(cat $(DEV_BUILD)/prefix)" > $(DEV_BUILD)/install.log

# What to run before a commit, in less than a minute. SINCE names the commit that the tree is compared with.
check: dev
	@$(BIN)/python tools/check.py $(if $(SINCE),--since $(SINCE))

# One test in either language: make t NAME=part_of_its_name
t: dev
	@$(BIN)/python tools/one_test.py "$(NAME)"

test: dev cpp-tests cpp-tests-sanitized cpp-tests-debug | render-libraries browser reference
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	@echo "clang-format --dry-run --Werror"; $(BIN)/clang-format --dry-run --Werror $(CPP_FILES)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2 --dist worksteal -m 'not serial'
	$(BIN)/pytest -m serial

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	@echo "clang-format -i"; $(BIN)/clang-format -i $(CPP_FILES)

bench: stale
	@for name in read fit evaluate; do echo "== $$name"; $(BIN)/python benchmarks/$$name.py || exit 1; done

# Says which tables in benchmarks/results are older than the code they judge.
stale: $(VENV)/.bench
	$(BIN)/python benchmarks/stale.py

# hitbox against its peers, mesh by mesh. The first run takes CoACD a minute a mesh, V-HACD ten seconds; what they
# answered is kept in out/. After that about a quarter of an hour, most of it the drop scene.
compare: $(VENV)/.bench
	$(BIN)/python benchmarks/compare.py --frames

# The paper's tables and figures. CoACD takes about a minute a mesh; what it answered is kept in out/.
paper: $(VENV)/.bench
	$(BIN)/python benchmarks/paper_tables.py

cpp-tests: dev
	$(DEV_BUILD)/core/hitbox_tests

# Every other test in each of two processes: fails where one of them does.
in_two = $(1) --odd & odd=$$!; $(1) --even; even=$$?; wait $$odd && exit $$even
CPP_TESTS := $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DCMAKE_BUILD_TYPE=Debug \
             -DHITBOX_TESTS=ON -DHITBOX_PRECOMPILE=ON

cpp-tests-sanitized: $(VENV)/.dev
	@mkdir -p build
	$(CPP_TESTS) -B build/sanitize -DHITBOX_SANITIZE=ON -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" > build/sanitize.log
	$(BIN)/cmake --build build/sanitize
	$(call in_two,build/sanitize/core/hitbox_tests)

# Inlining hides bugs: a type that two headers defined in two ways damaged memory only without it.
# tests/test_link_core.py installs the core from this build tree.
cpp-tests-debug: $(VENV)/.dev
	@mkdir -p build
	$(CPP_TESTS) -B build/core -DCMAKE_CXX_FLAGS_DEBUG="-O0 -g1" > build/core.log
	$(BIN)/cmake --build build/core
	$(call in_two,build/core/core/hitbox_tests)

# A stamp file says that hitbox, as it is in the tree now, is installed with that extra. An editable install stays one.
$(VENV)/.%: $(SOURCES) | $(VENV)/bin/python
	$(BIN)/python -m pip install -q $(if $(wildcard $(VENV)/.dev),"hitbox[$*]",".[$*]")
	@touch $@

# One build tree for the extension and the C++ tests: both link the same objects, those that users get.
$(VENV)/.dev: pyproject.toml CMakeLists.txt core/CMakeLists.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install -q $(BUILD_REQUIRES) "cmake>=3.20" ninja
	$(BIN)/python -m pip install -q --no-deps --no-build-isolation --editable . -C build-dir=$(DEV_BUILD) \
	  -C cmake.define.HITBOX_TESTS=ON -C cmake.define.HITBOX_ASSERTIONS=OFF
	$(BIN)/python -m pip install -q "hitbox[dev]"
	$(BIN)/python -c "import hitbox._native as n, pathlib; print(pathlib.Path(n._core.__file__).parents[1])" > $(DEV_BUILD)/prefix
	@touch $@

$(VENV)/bin/python:
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "$(PYTHON) cannot make a virtual environment: on Debian and Ubuntu, apt-get install python3-venv"; \
	  exit 1; }

# VTK's wheel draws without a display, but loads EGL and a driver from the system.
render-libraries:
	@missing=; for lib in libGL.so.1:libgl1 libEGL.so.1:libegl1 libEGL_mesa.so.0:libgl1-mesa-dri; do \
	  /sbin/ldconfig -p 2>/dev/null | grep -q "$${lib%%:*}" || missing="$$missing $${lib##*:}"; done; \
	if [ -n "$$missing" ] && command -v apt-get >/dev/null; then \
	  if [ "$$(id -u)" = 0 ]; then \
	    (apt-get update -qq && apt-get install -y -qq --no-install-recommends $$missing) >/dev/null || \
	      echo "pictures may fail: apt-get could not install$$missing"; \
	  else echo "pictures need$$missing: sudo apt-get install$$missing"; fi; fi

# The page that compare writes is tested in a real browser; without one these tests are skipped, and say so.
browser:
	@for name in chromium chromium-browser google-chrome chrome; do command -v $$name >/dev/null && exit 0; done; \
	if ! command -v apt-get >/dev/null; then echo "the report's tests need Chromium, and are skipped without it"; \
	elif [ "$$(id -u)" = 0 ]; then \
	  (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium) >/dev/null || \
	    echo "the report's tests are skipped: apt-get could not install chromium"; \
	else echo "the report's tests need Chromium: sudo apt-get install chromium"; fi

# Distances are compared with a slow reference where one lies beside the repository; that one needs Open3D, and
# Open3D libraries of the system. Without them the comparison is skipped, and says so.
REFERENCE := $(or $(HITBOX_REFERENCE),../shared/anchors/measure.py)
reference: $(VENV)/.dev
	@[ ! -f $(REFERENCE) ] || $(BIN)/python -c "import open3d" 2>/dev/null || { \
	  [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || \
	    (apt-get update -qq && apt-get install -y -qq --no-install-recommends libusb-1.0-0 libgl1 libgomp1) >/dev/null; \
	  $(BIN)/python -m pip install -q "open3d==0.20.0"; \
	} || echo "the comparison with the reference is skipped: Open3D does not install here"

clean:
	rm -rf $(VENV) build $(OUT) src/hitbox/_core.pyi .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
