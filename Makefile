# What people do with this checkout. `make demo` and `make test` need Swift 6.3 and git; `setup` adds the C libraries.

PREFIX ?= /usr/local
PATCHBAY = .build/release/patchbay

.PHONY: demo test check lint format bench copy-pairs crash install docs setup clean

demo: setup ## build, then list 20 users of the bundled recording, offline
	swift build -c release --product patchbay
	$(PATCHBAY) users list

test: setup ## all tests, with warnings as errors and imports checked
	PATCHBAY_STRICT=1 swift build --build-tests --explicit-target-dependency-import-check error
	PATCHBAY_STRICT=1 swift test --skip-build

check: lint test ## what CI runs
	python3 Recordings/make-sample.py --check

lint: ## what swift-format has to say
	swift format lint --strict --parallel --recursive Package.swift Sources Plugins Tests

format: ## let swift-format rewrite
	swift format format --in-place --parallel --recursive Package.swift Sources Plugins Tests

crash: setup ## the long tests: kills, failing disks, power cuts, damaged copies, random operations
	Scripts/crash.sh

bench: setup ## time the storages on 100,000 users
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
	rm -rf .build
