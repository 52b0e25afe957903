# What people do with this checkout. `make demo` and `make test` need Swift 6.3 and git; `setup` adds the C libraries.

PREFIX ?= /usr/local
PATCHBAY = .build/release/patchbay

# What swift-format looks at.
SWIFT = Package.swift Sources Plugins Tests Benchmarks/Package.swift Benchmarks/Sources Examples

.PHONY: demo tour test check lint format examples embedders bench bench-command copy-pairs crash install docs setup clean

demo: setup ## build, then list 20 users of the bundled recording, offline
	swift build -c release --product patchbay
	$(PATCHBAY) users list

tour: setup ## what five apps do, in the terminal and offline; STORAGE=lmdb and so on
	swift build -c release --product patchbay
	Scripts/tour.sh $(or $(STORAGE),sqlite) $(PATCHBAY)

test: setup ## all tests, with warnings as errors and imports checked
	PATCHBAY_STRICT=1 swift build --build-tests --explicit-target-dependency-import-check error
	PATCHBAY_STRICT=1 swift test --skip-build

check: lint test ## what CI runs
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

bench: setup ## measure the storages beside the bare engines; BENCH="--rows 1000000" and so on, see Benchmarks/README.md
	swift build -c release --package-path Benchmarks
	python3 Benchmarks/run.py $(BENCH)

bench-command: setup ## time the whole command on 100,000 users
	swift build -c release --product patchbay
	python3 Scripts/bench.py $(PATCHBAY)

copy-pairs: setup ## copy a million rows between all kinds of storages, killed on the way
	swift build -c release --product patchbay
	python3 Scripts/copy-pairs.py $(PATCHBAY)

docs: setup ## write the generated pages anew: commands, errors, reference.conf
	PATCHBAY_UPDATE=1 swift test --filter DocumentationTests

install: setup ## build and copy the command and its recordings below PREFIX
	swift build -c release --static-swift-stdlib --product patchbay
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/patchbay/recordings
	install -m 755 $$(swift build -c release --static-swift-stdlib --show-bin-path)/patchbay $(DESTDIR)$(PREFIX)/bin/
	install -m 644 Recordings/*.har $(DESTDIR)$(PREFIX)/share/patchbay/recordings/

setup: ## the C libraries that storages link
	@Scripts/setup.sh

clean:
	rm -rf .build .build-examples .build-embedders
