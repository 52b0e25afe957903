"""The measured programs: Patchbay's and those for comparison. Each run is a separate process."""

import glob
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BARE = ("sqlite", "lmdb")


def built(product):
    path = os.path.join(HERE, ".build", "release", product)
    if not os.path.exists(path):
        sys.exit(f"{path} is missing; run: swift build -c release --package-path Benchmarks")
    return path


def meter_folder(checkout):
    """Returns the folder of the C meter, which is not part of this repository, or None when it does not exist."""
    shared = os.environ.get("PATCHBAY_SHARED") or os.path.join(os.path.dirname(checkout), "shared")
    folder = os.path.join(shared, "limit")
    return folder if os.path.exists(os.path.join(folder, "limit.c")) else None


class Engine:
    """A program with its own store."""

    name = ""

    def __init__(self, storage, folder, rows, arguments):
        self.storage, self.folder, self.rows = storage, folder, rows
        self.seconds, self.seed, self.durability = arguments.seconds, arguments.seed, arguments.durability

    def run(self, workload):
        """Returns the result line of one run."""
        if workload.name.startswith("load"):
            shutil.rmtree(self.folder, ignore_errors=True)
            os.makedirs(self.folder)
        result = self.line(self.command(workload))
        result["us_each"] = 1e6 / result["ops_s"]
        return result

    def line(self, command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()[:600]}")
        return json.loads(done.stdout.splitlines()[-1])

    def common(self, workload):
        return ["--rows", str(self.rows), "--seconds", str(self.seconds), "--seed", str(self.seed), "--ops", workload]


class Patchbay(Engine):
    name = "patchbay"

    def __init__(self, storage, folder, rows, arguments, generator):
        super().__init__(storage, folder, rows, arguments)
        self.generator = ["--generator", generator] if generator else []

    def command(self, workload):
        name = workload if isinstance(workload, str) else workload.name
        place = ["--storage", self.storage, "--data", self.folder, "--durability", self.durability]
        return [self.program(), *place, *self.generator, *self.common(name)]

    def program(self):
        return built("patchbay-bench")

    def check(self):
        """Ends the program unless every stored row equals the generated one."""
        self.line(self.command("check"))


class BareEngine(Patchbay):
    """patchbay-bare: SQLite and LMDB through their C interfaces."""

    name = "bare"

    def program(self):
        return built("patchbay-bare")

    def can(self, workload):
        return True

    def preference(self, workload):
        return 1 if workload.makes_records else 0


class Meter:
    """The C meter, built in a temporary folder, and its row generator as a library."""

    def __init__(self, sources, folder):
        os.makedirs(folder)
        for pattern in ("*.c", "*.h", "*.cpp", "Makefile"):
            for path in glob.glob(os.path.join(sources, pattern)):
                shutil.copy(path, folder)
        self.program, self.library = os.path.join(folder, "limit"), os.path.join(folder, "rows.so")
        self.build(["make", "-s", "-C", folder, "limit"])
        self.build(["cc", "-O2", "-shared", "-fPIC", "-o", self.library, os.path.join(folder, "user.c")])

    @staticmethod
    def build(command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"cannot build the meter: {done.stderr.strip()}\n"
                     "it requires gcc g++ make libsimdjson-dev; use --engines bare to run without it")

    def on(self, storage, folder, *common):
        return MeteredEngine(self.program, storage, folder, *common)


class MeteredEngine(Engine):
    name = "meter"

    def __init__(self, program, storage, folder, *common):
        super().__init__(storage, folder, *common)
        self.program = program

    def command(self, workload):
        backend = "flat" if self.storage == "flatfile" else self.storage
        command = [self.program, "--backend", backend, "--dir", self.folder, "--sync", self.synchronization()]
        command += ["--n", str(self.rows)]
        command += ["--secs", str(self.seconds), "--seed", str(self.seed), "--ops", self.operation(workload)]
        return command + (["--defer-index"] if workload.name == "load.index-last" else [])

    def synchronization(self):
        """Returns the meter's word for the durability; its flat file has no middle level."""
        if self.durability == "normal":
            return {"sqlite": "normal", "lmdb": "nometa", "flatfile": "off"}[self.storage]
        return self.durability

    @staticmethod
    def operation(workload):
        return workload.meter or workload.name.removesuffix(".record")

    def can(self, workload):
        return True

    def preference(self, workload):
        # The meter makes no records, so the bare engine is preferred for those.
        return 0.5
