#!/usr/bin/env python3
"""Measures three programs that use Patchbay: SQLite and a recording only, everything, the command.

Builds them in release mode, with shared and with static Swift libraries, and prints Markdown: the size of the file, the
code and data as reported by `size`, the required system libraries, and the time from start to the first ten users, read
from the storage (median of 20). Usage: Scripts/embedders.py [--build FOLDER] [--shared]"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = 20

PACKAGE = """// swift-tools-version: 6.3
import PackageDescription

func target(_ name: String, _ products: String...) -> Target {
    .executableTarget(
        name: name, dependencies: products.map { .product(name: $0, package: "patchbay") }, path: name)
}

let package = Package(
    name: "embedders",
    dependencies: [.package(name: "patchbay", path: "%s")],
    targets: [
        target("lean", "Patchbay", "StorageSQLite", "SourceGitHub"),
        target("everything", "PatchbayPlugins"),
        target("command", "PatchbayCLI", "PatchbayPlugins"),
    ])
"""

LIST = """
@main struct Main {
    static func main() async throws {
        let configuration = try GatewayConfiguration(%s["storage.path": CommandLine.arguments[1]])
        let gateway = try await Gateway(configuration: configuration)
        let isStored = CommandLine.arguments.count > 2
        let users = try gateway.list("users", limit: 10, policy: isStored ? .localOnly : .localFirst)
        for await answer in users where answer.outcome.isEnding {
            for user in answer.value?.items ?? [] { print(user["id"]!, user.handle) }
        }
        try await gateway.close()
    }
}
"""

SOURCES = {
    "lean": "import Patchbay\nimport SourceGitHub\nimport StorageSQLite\n"
    + LIST % "plugins: PluginSet(storages: [.sqlite], sources: [.recorded(apis: [.github])]), ",
    "everything": "import PatchbayPlugins\n" + LIST % "",
    "command": "import PatchbayCLI\nimport PatchbayPlugins\n\n"
    "@main struct Main {\n    static func main() async { await CommandLineTool.run(plugins: .builtIn) }\n}\n",
}


def write(folder):
    (folder / "Package.swift").write_text(PACKAGE % ROOT)
    for name, text in SOURCES.items():
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "Main.swift").write_text(text)


def build(folder, scratch, *options):
    command = ["swift", "build", "-c", "release", "--package-path", str(folder), "--scratch-path", str(scratch),
               *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shown = subprocess.run([*command, "--show-bin-path"], check=True, stdout=subprocess.PIPE, text=True)
    return pathlib.Path(shown.stdout.strip())


def libraries(program):
    lines = subprocess.run(["ldd", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    names = re.findall(r"^\s+(lib[^ ]+?)\.so", lines, re.M)
    return sorted(set(names) - {"libc", "libm", "libgcc_s", "libstdc++", "libpthread", "libdl"})


def code_and_data(program):
    columns = subprocess.run(["size", program], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return int(columns[6]) + int(columns[7])


def milliseconds(program, arguments, environment):
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run([program, *arguments], check=True, env=environment, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def measure(bin_path, kind, data):
    environment = dict(os.environ, HOME=str(data), PATCHBAY_RECORDINGS=str(ROOT / "Recordings"))
    for name in SOURCES:
        program = bin_path / name
        path = data / f"{name}-{kind.replace(' ', '-')}.sqlite"
        fill, read = [str(path)], [str(path), "stored"]
        if name == "command":
            fill = ["list", "users", "--limit", "10", "--set", f"storage.path={path}"]
            read = [*fill, "--offline"]
        subprocess.run([program, *fill], check=True, env=environment, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        names = libraries(program)
        swift = [each for each in names if re.search("swift|Foundation|dispatch|BlocksRuntime|_F", each)]
        own = [each for each in names if each not in swift]
        print(f"| {name} | {kind} | {program.stat().st_size / 1e6:.1f} | {code_and_data(program) / 1e6:.1f} "
              f"| {', '.join(own) or '-'} | {len(swift)} | {milliseconds(program, read, environment):.1f} |",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / ".build-embedders", help="the build folder")
    parser.add_argument("--shared", action="store_true", help="measure only programs with shared Swift libraries")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        data = pathlib.Path(name)
        package = data / "embedders"
        package.mkdir()
        write(package)
        print("| program | Swift libraries | file MB | code and data MB | system libraries | shared Swift libraries "
              "| start to first rows, ms |\n|---|---|---|---|---|---|---|", flush=True)
        measure(build(package, options.build), "shared", data)
        if not options.shared:
            measure(build(package, options.build, "--static-swift-stdlib"), "inside", data)


if __name__ == "__main__":
    main()
