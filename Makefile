# What people do with this checkout. `make demo` and `make test` need Swift 6.3 and git; `setup` adds the C libraries.
# They share one debug build without the network client, whose packages are three quarters of a whole build.

PREFIX ?= /usr/local
PATCHBAY = .build/release/patchbay

# The command as it is installed: without Swift's libraries beside it, and knowing its commit.
COMMIT = $(shell git describe --always --dirty --exclude '*' 2>/dev/null) $(shell git log -1 --format=%cs 2>/dev/null)
BUILD = PATCHBAY_COMMIT="$(strip $(COMMIT))" swift build -c release --static-swift-stdlib --product patchbay

LEAN = --disable-default-traits
LEAN_PATCHBAY = .build/debug/patchbay
# A whole debug build, in a folder of its own: another choice of traits compiles every module again.
WHOLE = --scratch-path .build-whole

# What swift-format looks at.
SWIFT = Package.swift Sources Plugins Tests Benchmarks/Package.swift Benchmarks/Sources Examples

.PHONY: demo tour test test-network test-page check lint format examples embedders bench bench-command copy-pairs crash shared hostile serve-check sanitize pages docs pictures api api-check install \
	uninstall deb setup clean

demo: setup ## build, then list 20 users of the bundled recording, offline
	swift build $(LEAN) --product patchbay
	$(LEAN_PATCHBAY) users list

tour: setup ## what five apps do, in the terminal and offline; STORAGE=lmdb and so on
	swift build $(LEAN) --product patchbay
	Scripts/tour.sh $(or $(STORAGE),sqlite) $(LEAN_PATCHBAY)

test: setup ## all tests but those that need a network client; PATCHBAY_STRICT=1 makes warnings errors
	swift build --build-tests $(LEAN) --explicit-target-dependency-import-check error
	Scripts/test.sh 1500 $(LEAN) --experimental-maximum-parallelization-width 64

test-network: setup ## the tests that need a network client, in a build of their own
	swift build --build-tests $(WHOLE) --explicit-target-dependency-import-check error
	Scripts/test.sh 900 $(WHOLE) --experimental-maximum-parallelization-width 64 \
		--filter 'Live|Serving|DocumentationTests|StoredSourceCommandTests|PluginSetTests'

test-page: setup ## the page of "patchbay serve" in a headless Chromium; without one it says so
	swift build $(WHOLE) --product patchbay
	python3 Scripts/page-test.py .build-whole/debug/patchbay

check: lint test test-network test-page ## what CI runs
	python3 Recordings/make-sample.py --check

lint: ## what swift-format has to say
	swift format lint --strict --parallel --recursive $(SWIFT)

format: ## let swift-format rewrite
	swift format format --in-place --parallel --recursive $(SWIFT)

examples: setup ## build, test and run the packages in Examples
	Scripts/examples.sh

embedders: setup ## measure what a program links and how fast it starts: SQLite alone, everything, the command
	python3 Scripts/embedders.py

crash: setup ## the long tests: kills, failing disks, power cuts, damaged copies, random operations
	Scripts/crash.sh

shared: setup ## what many gateways over one storage request, PostgreSQL's among them where PATCHBAY_POSTGRES is set
	swift build $(WHOLE) --product patchbay
	python3 Scripts/shared-requests.py .build-whole/debug/patchbay

hostile: setup ## links in the way of every file, and a server that repeats secrets
	swift build $(WHOLE) --product patchbay
	python3 Scripts/links.py .build-whole/debug/patchbay
	python3 Scripts/canary.py .build-whole/debug/patchbay
	python3 Scripts/serve-canary.py .build-whole/debug/patchbay

serve-check: setup ## gh, curl and Python clients of `patchbay serve`, its events, and its ends under load
	swift build $(WHOLE) --product patchbay
	python3 Scripts/serve-clients.py .build-whole/debug/patchbay
	python3 Scripts/serve-events.py .build-whole/debug/patchbay
	python3 Scripts/serve-stops.py .build-whole/debug/patchbay

sanitize: setup ## the tests under the thread sanitizer, then under the address sanitizer
	Scripts/sanitize.sh thread
	Scripts/sanitize.sh address

bench: setup ## measure the storages beside the bare engines; BENCH="--rows 1000000" and so on, see Benchmarks/README.md
	swift build -c release --package-path Benchmarks
	python3 Benchmarks/run.py $(BENCH)

bench-command: setup ## time the whole command on 100,000 users
	$(BUILD)
	python3 Scripts/bench.py $(PATCHBAY)

copy-pairs: setup ## copy a million rows between all kinds of storages, killed on the way
	$(BUILD)
	python3 Scripts/copy-pairs.py $(PATCHBAY)

pages: setup ## write the generated pages anew: commands, errors, promises, formats, reference.conf
	PATCHBAY_UPDATE=1 swift test $(WHOLE) --filter 'DocumentationTests|FormatTests'

docs: setup ## the documentation of all modules as a web site in Docs/site; BASE=patchbay for https://HOST/patchbay
	swift build $(WHOLE)
	Scripts/docs.sh Docs/site $(BASE)

pictures: setup ## draw the pictures of the README again: the page, `users browse` and a comparison
	$(BUILD)
	python3 Scripts/pictures.py $(PATCHBAY) Docs/pictures

api: setup ## write Docs/API.txt anew: everything that the library modules make public
	swift build $(WHOLE)
	python3 Scripts/api.py --write

api-check: setup ## whether Docs/API.txt is true, and breaks nothing that the last tag had without a word in CHANGELOG.md
	swift build $(WHOLE)
	python3 Scripts/api.py

install: setup ## build and copy the command, recordings, manual pages and completions below PREFIX
	$(BUILD)
	Scripts/install.sh $(PATCHBAY) $(PREFIX)

uninstall: ## remove what install copied below PREFIX
	Scripts/install.sh --remove $(PREFIX)

deb: setup ## build a Debian package into .build/deb
	$(BUILD)
	Scripts/deb.sh $(PATCHBAY) .build/deb

setup: ## the C libraries that storages link
	@Scripts/setup.sh

clean:
	rm -rf .build .build-*
