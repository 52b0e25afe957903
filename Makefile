# Builds, tests and checks this checkout. `make demo` and `make test` need Swift 6.3 and git; `setup` installs the C
# libraries. `make demo` builds without the network client, whose packages take three quarters of a whole build.

PREFIX ?= /usr/local
PATCHBAY = .build/release/patchbay

# The command as it is installed: with static libraries, so that it needs only the C library; with its commit; and
# with functions of glibc 2.34 (Sources/CPlatform/glibc.c). Without --no-export-dynamic it would export all symbols of
# the Swift libraries, which take 3 MB and a tenth of the time of each start. No path of the checkout is in it, so that
# two checkouts of a commit make the same program.
COMMIT = $(shell git describe --always --dirty --exclude '*' 2>/dev/null) $(shell git log -1 --format=%cs 2>/dev/null) \
	$(shell swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p')
STATIC = .build/static
WRAPPED = hypot hypotf arc4random
BUILD = Scripts/static-libraries.sh $(STATIC) && PATCHBAY_COMMIT="$(strip $(COMMIT))" \
	swift build -c release --static-swift-stdlib --pkg-config-path $(STATIC) --product patchbay \
	-Xcc -ffile-prefix-map=$(CURDIR)=. \
	-Xlinker --no-export-dynamic $(WRAPPED:%=-Xlinker --wrap=%)

LEAN = --disable-default-traits
# A newcomer's first build optimises nothing, has no debug information, and compiles each module in one piece, which
# takes a third less processor time than a debug build.
DEMO = -c release -Xswiftc -Onone -debug-info-format none --scratch-path .build-demo
DEMO_PATCHBAY = .build-demo/release/patchbay
# Like that, with the network, whose C code takes half as long again to compile when it is optimised. OPTIMISED=1 tests
# the code as it is installed, as `make long` does. Tests do without debug information: only the report of a crash would
# use it.
TESTED = -c release $(if $(OPTIMISED),,-Xswiftc -Onone -Xcc -O0) -Xswiftc -enable-testing -debug-info-format none \
	--scratch-path .build-test
TESTED_PATCHBAY = .build-test/release/patchbay

# A debug build compiles only the changed files and those that use what has changed.
SMOKED = -debug-info-format none --scratch-path .build-smoke

# The files for swift-format.
SWIFT = Package.swift Sources Plugins Tests Benchmarks/Sources Examples

# The subjects of `make bench`, and the workloads that bare engines can run.
BENCHED = bare-sqlite,sqlite,bare-lmdb,lmdb,flatfile
BENCHED_ON = load,get-key,get-handle,page-forward,page-backward,prefix-search,scan,open,durable-write,durable-page

.PHONY: demo tour build-tests test long smoke test-page check lint format examples embedders bench bench-command fixtures \
	serve-bench pages docs pictures api api-check install uninstall dist dist-check release-check setup clean

demo: setup ## build, then list 20 users of the bundled recording, offline
	swift build $(LEAN) $(DEMO) --product patchbay
	$(DEMO_PATCHBAY) list users

tour: setup ## show what five apps do, in the terminal and offline; STORAGE=lmdb and so on
	swift build $(LEAN) $(DEMO) --product patchbay
	Scripts/tour.sh $(or $(STORAGE),sqlite) $(DEMO_PATCHBAY)

build-tests: setup ## build the command and the tests; PATCHBAY_STRICT=1 makes warnings errors; OPTIMISED=1
	swift build --build-tests $(TESTED) --explicit-target-dependency-import-check error

test: build-tests ## run all tests, or some: FILTER=CrashTests and so on
	Scripts/test.sh 1300 $(TESTED) --experimental-maximum-parallelization-width 64 $(if $(FILTER),--filter '$(FILTER)')

long: setup ## run the checks that take too long for every push, within 90 minutes; ONLY="torture links" for some
	.ci/long $(ONLY)

smoke: setup ## build and run the tests of one module and what it needs; MODULE=Gateway, StorageSQLite and so on
	@ls -d Tests/Patchbay$(MODULE)Tests Tests/$(MODULE)Tests Plugins/$(MODULE)/Tests 2>/dev/null | grep -q . || \
		{ echo "smoke: there is no module MODULE=$(MODULE) with tests; see Tests and Plugins" >&2; exit 2; }
	PATCHBAY_SMOKE=$(MODULE) swift test $(SMOKED)

test-page: build-tests ## test the page of "patchbay serve" in a headless Chromium, if one is installed
	python3 Scripts/page-test.py $(TESTED_PATCHBAY)

check: lint test test-page ## run the checks of CI
	python3 Recordings/make-sample.py --check

lint: ## check the format with swift-format
	swift format lint --strict --parallel --recursive $(SWIFT)

format: ## format the code with swift-format
	swift format format --in-place --parallel --recursive $(SWIFT)

examples: setup ## build, test and run the packages in Examples
	Scripts/examples.sh $(DEMO)

embedders: setup ## measure size and start of programs that link SQLite only, everything, the command
	python3 Scripts/embedders.py

fixtures: build-tests ## write this version's files in Tests/FormatTests/Fixtures again, which later versions must read
	PATCHBAY_FIXTURES=1 swift test --skip-build $(TESTED) --filter 'CompatibilityTests/write'

serve-bench: setup ## measure the answers of `patchbay serve` beside nginx, and beside Datasette: DATASETTE=PROGRAM
	$(BUILD)
	python3 Scripts/serve-bench.py $(PATCHBAY) $(if $(DATASETTE),--datasette $(DATASETTE))

bench: setup ## compare the storages with the bare engines; BENCH="--rows 1000000" and so on, see Benchmarks/README.md
	swift build -c release $(LEAN) --scratch-path .build-bench --product PatchbayBench
	.build-bench/release/PatchbayBench compare --storage $(BENCHED) --workloads $(BENCHED_ON) $(BENCH)

bench-command: setup ## time the whole command with 100,000 users
	$(BUILD)
	python3 Scripts/bench.py $(PATCHBAY)

pages: build-tests ## generate pages again: commands, errors, promises, formats, reference.conf
	PATCHBAY_UPDATE=1 swift test --skip-build $(TESTED) --filter 'DocumentationTests|FormatTests'

docs: build-tests ## build the documentation as a web site in Docs/site; BASE=patchbay for https://HOST/patchbay
	Scripts/docs.sh Docs/site $(BASE)

pictures: setup ## draw the pictures of the README again: the page, `browse users` and a comparison
	$(BUILD)
	python3 Scripts/pictures.py $(PATCHBAY) Docs/pictures

api: build-tests ## write Docs/API again: everything that the library modules make public, for whom
	python3 Scripts/api.py --write

api-check: build-tests ## check Docs/API, and that CHANGELOG.md names every breaking change since the last tag
	python3 Scripts/api.py

install: setup ## build and copy the command, recordings, manual pages and completions below PREFIX
	$(BUILD)
	Scripts/install.sh $(PATCHBAY) $(PREFIX)

uninstall: ## remove the installed files below PREFIX
	Scripts/install.sh --remove $(PREFIX)

dist: setup ## build a tarball, a Debian package and a Python wheel of the command into .build/dist
	$(BUILD)
	Scripts/dist.sh $(PATCHBAY) .build/dist

dist-check: ## install and use the packages of `make dist` on Debian systems that have nothing else; needs root
	python3 Scripts/install-check.py .build/dist

# The formats' fixtures are among the tests, and the licences are checked where packages are made.
release-check: ## everything that a release needs, on a clean clone and as root: about 45 minutes
	Scripts/release.sh
	$(MAKE) check api-check docs examples dist dist-check

setup: ## install the C libraries that storages link
	@Scripts/setup.sh

clean:
	rm -rf .build .build-*
