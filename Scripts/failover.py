#!/usr/bin/env python3
"""Makes PostgreSQL servers fail while four gateways write: python3 Scripts/failover.py PATCHBAY CLUSTER [FAULT...].

CLUSTER is the script that controls a Patroni cluster in network namespaces (tools/ha/cluster.sh of the shared folder),
already running, with its folder in HA_DIR; requires root. Each FAULT hits the leader while four processes write rows
one by one:

  postmaster   SIGKILL for PostgreSQL's first process; Patroni continues
  both         SIGKILL for Patroni and PostgreSQL; both are restarted after 30 s
  frozen       stops all processes of the leader, Patroni's too, for 100 s without ending them; connections stay open
  cut          disconnects the leader from the other servers for 45 s; clients can still reach it
  random:N     N of these and of short cuts, of any server, chosen with PATCHBAY_SEED

Prints the numbers of rows acknowledged, lost, invented and written twice, and the longest time without an acknowledged
write. Fails when a row is lost, invented or written twice. With --asynchronous, for a cluster without synchronous
mode, lost rows are only reported, and a missing warning of `patchbay doctor` is the failure. Takes about two minutes
per fault.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

HOSTS = "host=10.77.0.1,10.77.0.2,10.77.0.3 user=postgres dbname=postgres"
URL = f"{HOSTS} target_session_attrs=read-write"
WRITERS = 4
FIRST_ROW = 9_000_000_000_000
# The number of commits whose tokens a storage keeps.
TOKENS_KEPT = 100_000


class Cluster:
    def __init__(self, script):
        self.script = script
        self.folder = os.environ["HA_DIR"]

    def members(self):
        listing = subprocess.run(
            ["patronictl", "-c", f"{self.folder}/p1.yml", "list", "-f", "json"], capture_output=True, text=True)
        try:
            return json.loads(listing.stdout)
        except ValueError:
            return []

    def leader(self):
        return next((int(m["Member"][1:]) for m in self.members() if m["Role"] == "Leader"), None)

    def run(self, *words):
        subprocess.run(["bash", self.script, *words], check=True, stdout=subprocess.DEVNULL)

    def wait_until_whole(self, seconds=180):
        """Waits for a leader and two standbys that follow it."""
        deadline = time.time() + seconds
        while time.time() < deadline:
            members = self.members()
            running = [m for m in members if m["State"] in ("running", "streaming")]
            if len(running) == 3 and sum(m["Role"] == "Leader" for m in running) == 1:
                if len({m.get("TL") for m in running}) == 1:
                    return
            time.sleep(1)
        sys.exit(f"the cluster is not complete after {seconds} s: {self.members()}")

    def postmaster(self, number):
        with open(f"{self.folder}/d{number}/data/postmaster.pid") as file:
            return int(file.readline())

    def patroni(self, number):
        with open(f"{self.folder}/patroni{number}.pid") as file:
            return int(file.read())

    # A fault returns when the failed server may come back.

    def kill_postmaster(self, number):
        kill(self.postmaster(number))
        time.sleep(20)

    def kill_both(self, number):
        postmaster = self.postmaster(number)
        kill(self.patroni(number))
        kill(postmaster)
        time.sleep(30)
        self.run("start", str(number))

    def freeze(self, number, seconds=100):
        first = self.postmaster(number)
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(first)], capture_output=True, text=True).stdout
        stopped = [self.patroni(number), first, *map(int, children.split())]
        try:
            for pid in stopped:
                os.kill(pid, signal.SIGSTOP)
            time.sleep(seconds)
        finally:
            for pid in stopped:
                os.kill(pid, signal.SIGCONT)

    def cut_off(self, number, seconds=45):
        self.run("cut", str(number))
        try:
            time.sleep(seconds)
        finally:
            self.run("heal", str(number))


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Writer:
    """A process that writes, restarted when it ends. Records the tried and acknowledged rows, with times."""

    def __init__(self, command, number):
        self.command, self.next = command, number * 1_000_000_000 + 1
        self.tried, self.acknowledged, self.times, self.errors = set(), {}, [], []
        self.is_stopping = False
        self.process = None
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.is_stopping:
            self.process = subprocess.Popen(
                [*self.command, "--start", str(self.next)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for line in self.process.stdout:
                words = line.split()
                # The last line of a killed process may be incomplete.
                if words[:1] == ["TRY"] and len(words) == 2 and line.endswith("\n"):
                    self.tried.add(int(words[1]))
                    self.next = int(words[1]) + 1
                elif words[:1] == ["ACK"] and len(words) == 3 and line.endswith("\n"):
                    self.acknowledged[int(words[1])] = words[2]
                    self.times.append(time.time())
            said = self.process.stderr.read()
            self.process.wait()
            if not self.is_stopping:
                self.errors.append(said.strip())
                time.sleep(0.5)

    def stop(self):
        self.is_stopping = True
        self.process.kill()
        self.thread.join()


def number_of(url, sql):
    """Returns psql's output for some SQL, retrying while the servers elect a leader."""
    for _ in range(60):
        answer = subprocess.run(["psql", url, "-Atc", sql], capture_output=True, text=True)
        if answer.returncode == 0:
            return answer.stdout.strip()
        time.sleep(1)
    sys.exit(f"psql: {answer.stderr}")


def warns(patchbay, schema):
    """Prints the warnings of `patchbay doctor` about standbys, and returns whether there are any."""
    with tempfile.TemporaryDirectory() as folder:
        store = ["--storage", "postgres", "--set", f"storage.url={URL}", "--set", f"storage.schema={schema}"]
        doctor = [patchbay, "doctor", *store, "--format", "jsonl"]
        said = subprocess.run(doctor, capture_output=True, text=True, cwd=folder, env={**os.environ, "HOME": folder})
    warnings = [line for line in said.stdout.splitlines() if "standby" in line and '"ok"' not in line]
    print("doctor: " + "; ".join(warnings))
    return bool(warnings)


def start_store(patchbay, url, schema):
    """Creates a store with one row. Returns the command that writes into it, and the one that verifies it."""
    store = ["--store", f"postgres:{url}", "--set", f"storage.schema={schema}"]
    write = [patchbay, "selftest", "write", *store, "--set", "storage.busy-timeout-ms=120000"]
    subprocess.run([*write, "--start", str(FIRST_ROW), "--count", "1"], check=True, stdout=subprocess.DEVNULL)
    return write, [patchbay, "selftest", "verify", *store]


def commit_count(url, schema):
    return int(number_of(url, f'SELECT count(*) FROM "{schema}".patchbay_commits WHERE NOT is_refused'))


def verdict(writers, verify, url, schema, commits):
    """Compares the rows with the acknowledgements, and drops the store. Returns a sentence, and the numbers of rows
    lost, and invented or written twice."""
    tried = {FIRST_ROW}.union(*(writer.tried for writer in writers))
    acknowledged = {key: value for writer in writers for key, value in writer.acknowledged.items()}
    done = subprocess.run(verify, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"verify ended with {done.returncode}: {done.stderr}")
    rows = {int(line.split()[1]): line.split()[2] for line in done.stdout.splitlines() if line.startswith("ROW ")}
    lost = sum(rows.get(key) != digest for key, digest in acknowledged.items())
    invented = sum(key not in tried for key in rows)
    # Each row is a commit of its own, and each commit with changes has a token, of which the newest are kept.
    is_counted = commits + len(rows) <= TOKENS_KEPT
    twice = commit_count(url, schema) - commits - (len(rows) - 1) if is_counted else 0
    number_of(url, f'DROP SCHEMA "{schema}" CASCADE; SELECT 1')
    unknown = len(rows) - 1 - len(acknowledged) + lost
    words = (
        f"{len(acknowledged)} acknowledged, {lost} lost, {invented} invented, "
        f"{twice if is_counted else 'an unknown number'} written twice, "
        f"{unknown} unknown to their writer and there"
    )
    return words, lost, invented + abs(twice)


def trial(patchbay, cluster, name, faults, is_synchronous):
    """Writes while faults occur one after another; each fault is a function of the cluster."""
    cluster.wait_until_whole()
    schema = f"failover_{os.getpid()}_{int(time.time())}"
    write, verify = start_store(patchbay, URL, schema)
    commits = commit_count(URL, schema)
    if not is_synchronous and not warns(patchbay, schema):
        sys.exit("doctor does not warn of asynchronous replication")
    writers = [Writer(write, number) for number in range(WRITERS)]
    time.sleep(5)
    for fault in faults:
        fault(cluster)
        cluster.wait_until_whole()
        time.sleep(3)
    for writer in writers:
        writer.stop()
    time.sleep(1)
    cluster.wait_until_whole()
    times = sorted(moment for writer in writers for moment in writer.times)
    gap = max(later - earlier for earlier, later in zip(times, times[1:]))
    words, lost, wrong = verdict(writers, verify, URL, schema, commits)
    errors = [error for writer in writers for error in writer.errors]
    print(
        f"{name}: {words}, longest gap {gap:.1f} s, "
        f"writers gave up {len(errors)} times {sorted(set(errors))[:2] if errors else ''}",
        flush=True,
    )
    return not wrong and (not lost or not is_synchronous)


def random_faults(count, generator):
    def one(cluster):
        number = generator.choice([cluster.leader() or 1] * 2 + [1, 2, 3])
        kind = generator.choice(["postmaster", "both", "cut", "freeze"])
        print(f"  {kind} of n{number}", flush=True)
        if kind == "postmaster":
            cluster.kill_postmaster(number)
        elif kind == "both":
            cluster.kill_both(number)
        elif kind == "cut":
            cluster.cut_off(number, generator.uniform(1, 40))
        else:
            pid = cluster.postmaster(number)
            os.kill(pid, signal.SIGSTOP)
            time.sleep(generator.uniform(1, 15))
            os.kill(pid, signal.SIGCONT)

    return [one] * count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patchbay")
    parser.add_argument("cluster")
    parser.add_argument("faults", nargs="*", default=["postmaster", "both", "cut"])
    parser.add_argument("--asynchronous", action="store_true")
    options = parser.parse_intermixed_args()
    cluster, patchbay = Cluster(options.cluster), os.path.abspath(options.patchbay)
    seed = int(os.environ.get("PATCHBAY_SEED", random.randrange(1 << 32)))
    is_sound = True
    faults = {
        "postmaster": lambda cluster: cluster.kill_postmaster(cluster.leader()),
        "both": lambda cluster: cluster.kill_both(cluster.leader()),
        "frozen": lambda cluster: cluster.freeze(cluster.leader()),
        "cut": lambda cluster: cluster.cut_off(cluster.leader()),
    }
    cluster.wait_until_whole()
    for name in options.faults:
        if name.startswith("random:"):
            count = int(name.split(":")[1])
            print(f"{count} random faults, PATCHBAY_SEED={seed}", flush=True)
            list_of_faults = random_faults(count, random.Random(seed))
        else:
            list_of_faults = [faults[name]]
        is_sound = trial(patchbay, cluster, name, list_of_faults, not options.asynchronous) and is_sound
    sys.exit(0 if is_sound else 1)


if __name__ == "__main__":
    main()
