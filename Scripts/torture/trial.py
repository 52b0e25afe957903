"""Runs the command for a scenario, and compares its stored rows with the truth."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from world import World

VERDICTS = ["RIGHT", "TOLD", "TOLD-NEEDLESSLY", "SILENT", "HANG", "CRASH"]
SECONDS_MAX = 20
# Lines that are no warnings: the plan, the summary, which the status repeats, waits.
USUAL = re.compile(
    r"(at least )?\d+ requests?\b|resumes after page|\d+ rows?\b.*: (in)?complete\b|waiting |"
    r"requests: \d+ sent|\d+ \S+ imported$")
SCENARIOS = {}


def scenario(function=None, *, each=None):
    """Registers a scenario. With `each`, one for each of these words, which is passed on."""
    def register(function):
        theme = function.__module__.rpartition(".")[2]
        name = f"{theme}.{function.__name__}".replace("_", "-")
        for word in each or [None]:
            full = name if word is None else f"{name}-{word}"
            assert full not in SCENARIOS, full
            SCENARIOS[full] = (function, word)
        return function
    return register(function) if function else register


class Ended(Exception):
    """The scenario has its verdict."""


class Run:
    """One run of the command."""

    def __init__(self, status, out, err, requests):
        self.status, self.out, self.err, self.requests = status, out, err, requests

    @property
    def warnings(self):
        return [line for line in self.err.splitlines() if line and not USUAL.match(line)]

    @property
    def is_told(self):
        return self.status != 0 and bool(self.err.strip())


class Trial:
    """What a scenario works with: a world, a folder with a store, the command, the judge."""

    def __init__(self, program, storage, seed, skew=0):
        self.program, self.storage = program, storage
        self.random = random.Random(seed)
        self.folder = tempfile.mkdtemp(prefix="torture-")
        self.world = World(skew)
        self.clock = self.world.clock
        self.deadline = time.monotonic() + SECONDS_MAX
        self.verdict, self.note = "RIGHT", ""
        self.process = self.last = None
        self.was_complete = False
        self.settings = {}
        self.new_store()

    # The source.

    def serve(self, app):
        return self.world.serve(app)

    def define(self, text):
        with open(os.path.join(self.folder, "definition.conf"), "w", encoding="utf-8") as file:
            file.write(text)

    def token(self, text):
        """Sets the token of the following commands."""
        path = os.path.join(self.folder, "token")
        with open(path, "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(text)
        self.settings["source.token"] = f"file:{path}"

    def at(self, number, hook):
        """Runs the hook when the n-th request of the next command arrives, before it is answered."""
        self.world.before.setdefault(number, []).append(hook)

    def fail(self, number, answer):
        """Answers the n-th request of the next command (or `each`) with this instead."""
        self.world.faults[number] = answer

    def kill_at(self, number):
        """Kills the next command when its n-th request arrives."""
        self.at(number, lambda: self.process.send_signal(signal.SIGKILL))

    def kill_after(self, number, seconds):
        """Kills the next command some time after the n-th answer."""
        def hook():
            process = self.process
            threading.Timer(seconds, process.kill).start()
        self.world.after.setdefault(number, []).append(hook)

    # The command.

    def new_store(self):
        self.store = tempfile.mkdtemp(dir=self.folder)
        self.was_complete = False

    def words(self, verb, resource, *arguments):
        """The words of a command. The only place that knows the grammar."""
        return [verb, resource, *map(str, arguments)]

    def configuration(self):
        path = os.path.join(self.folder, "patchbay.conf")
        settings = {
            "source": "rest", "source.definition": os.path.join(self.folder, "definition.conf"),
            "storage": self.storage, "storage.path": os.path.join(self.store, "store"),
            "source.wait-at-most-seconds": 6, "source.deadline-seconds": 8, **self.settings,
        }
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{key} = {value}\n" for key, value in settings.items())
        return path

    def run(self, verb, resource, *arguments, status=None):
        self.world.begin()
        words = self.words(verb, resource, *arguments)
        environment = {"HOME": self.folder, "PATH": os.environ["PATH"], "TZ": "Asia/Kolkata"}
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            # A hook can ask for the process as soon as the first request arrives.
            with self.world.lock:
                self.process = subprocess.Popen(
                    [self.program, *words, "--config", self.configuration()], cwd=self.folder, env=environment,
                    stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            try:
                code = self.process.wait(max(0.1, self.deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                code = "hang"
            out.seek(0)
            err.seek(0)
            texts = [file.read().decode("utf-8", "replace") for file in (out, err)]
        self.world.end()
        run = Run(code, *texts, list(self.world.requests))
        if code == "hang":
            self.end("HANG", " ".join(words))
        is_killed = code in (-signal.SIGKILL, -signal.SIGINT)
        if isinstance(code, int) and code < 0 and not is_killed or code == 1 or "Fatal error" in texts[1]:
            self.end("CRASH", f"status {code}: {self.line(run)}")
        return run

    def sync(self, resource="items", *arguments):
        self.last = run = self.run("sync", resource, *arguments)
        self.was_complete = self.was_complete or run.status == 0
        return run

    def listed(self, resource="items", *arguments):
        """Returns the stored rows and the `answer` of JSON."""
        run = self.run("list", resource, *arguments, "--offline", "--format", "json", "-n", 100)
        try:
            document = json.loads(run.out)
        except ValueError:
            return [], {"complete": False, "message": self.line(run)}
        return document["items"], document["answer"]

    # The judge.

    def end(self, verdict, note):
        self.worsen(verdict, note)
        raise Ended

    def worsen(self, verdict, note):
        if VERDICTS.index(verdict) > VERDICTS.index(self.verdict):
            self.verdict, self.note = verdict, note

    def line(self, run=None):
        """The last line that a command wrote, for notes."""
        lines = (run or self.last).err.strip().splitlines()
        return lines[-1].replace(self.folder, "") if lines else "(no message)"

    def require(self, condition, note, verdict="SILENT"):
        if not condition:
            self.worsen(verdict, note)

    def judge_sync(self, truth, *arguments, **options):
        """Syncs, and judges the result.

        - truth: the list that changes during the sync, or a function; not a copy from before it.
        """
        self.sync()
        self.judge(truth, *arguments, **options)

    def judge(self, truth, *arguments, resource="items", either=(), pending=(), must="either", words=None,
              allow=None, key="id"):
        """Compares the stored rows with the truth, and what the last sync claimed with both.

        - truth: the rows, or a function that returns them.
        - either: keys of rows that may be listed or not, because they changed while they were read.
        - pending: keys of rows that left the list; they may still be listed if they are marked (`missing_since`).
        - must: `right` where the rules give a way to be right, `told` where an error has to be reported.
        - words: a pattern that the last sync has to write even if the rows are right.
        - allow: a pattern of lines that are not needless beside right rows.
        """
        claim = self.last
        truth = truth() if callable(truth) else truth
        found, answer = self.listed(resource, *arguments)
        problem = self.compare(found, truth, set(either), set(pending), resource, arguments, key)
        is_warned = bool([each for each in claim.warnings if not (allow and re.search(allow, each))])
        if problem:
            if not claim.is_told:
                aside = " (in words only)" if claim.warnings else ""
                self.worsen("SILENT", f"{problem}; status {claim.status}{aside}: {self.line(claim)}")
            elif not self.was_complete and answer.get("complete") is not False:
                self.worsen("SILENT", f"{problem}; JSON says complete; status {claim.status}: {self.line(claim)}")
            elif must == "right":
                self.worsen("TOLD-NEEDLESSLY", f"{problem}; status {claim.status}: {self.line(claim)}")
            else:
                self.worsen("TOLD", f"status {claim.status}: {self.line(claim)}")
        elif must == "told":
            verdict = "TOLD" if claim.is_told else "SILENT"
            self.worsen(verdict, f"status {claim.status}: {self.line(claim)}")
        elif claim.status != 0 and not allow:
            self.worsen("TOLD-NEEDLESSLY", f"rows right; status {claim.status}: {self.line(claim)}")
        elif is_warned and not words:
            self.worsen("TOLD-NEEDLESSLY", f"rows right; {claim.warnings[0]}")
        elif answer.get("complete") is False and not allow:
            self.worsen("TOLD-NEEDLESSLY", f"rows right; JSON says incomplete; {self.line(claim)}")
        if words and not re.search(words, claim.err):
            self.worsen("SILENT", f'nothing said about "{words}": {self.line(claim)}')

    def compare(self, found, truth, either, pending, resource, arguments, key):
        """Returns how the stored rows differ from the truth; None if they do not."""
        names = list(truth[0]) if truth else [key]
        def seen(each):
            values = [each.get(name) for name in names]
            return json.dumps([int(value) if isinstance(value, float) and value.is_integer() else value
                               for value in values], sort_keys=True)
        has, wants = {}, {}
        for each in found:
            has.setdefault(seen(each), []).append(each)
        for each in truth:
            wants.setdefault(seen(each), []).append(each)
        missing = [each[key] for word, some in wants.items() for each in some[len(has.get(word, [])):]
                   if each[key] not in either]
        surplus = [each.get(key) for word, some in has.items() for each in some[len(wants.get(word, [])):]
                   if each.get(key) not in either]
        waiting = [each for each in surplus if each in pending]
        if waiting and self.is_marked(resource, arguments, waiting, key):
            surplus = [each for each in surplus if each not in waiting]
        parts = []
        if both := [each for each in missing if each in surplus]:
            parts.append(f"old or wrong {shortened(both)}")
        if only := [each for each in missing if each not in both]:
            parts.append(f"missing {shortened(only)}")
        if only := [each for each in surplus if each not in both]:
            parts.append(f"surplus {shortened(only)}")
        return ", ".join(parts)

    def is_marked(self, resource, arguments, keys, key):
        """Whether rows that left the list once are shown as such."""
        run = self.run("list", resource, *arguments, "--offline", "--format", "jsonl", "-n", 100, "--fields",
                       f"{key},missing_since")
        if run.status != 0:
            return False
        marked = [json.loads(line) for line in run.out.splitlines()]
        return all(any(each[key] == wanted and each["missing_since"] for each in marked) for wanted in keys)

    def close(self):
        self.world.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def shortened(keys):
    words = [repr(each) if isinstance(each, str) else str(each) for each in keys]
    return ",".join(words[:6]) + (f" and {len(words) - 6} more" if len(words) > 6 else "")


def perform(name, program, storage, seed):
    """Runs one scenario; returns its verdict, the note, the number of requests and the seconds."""
    function, word = SCENARIOS[name]
    trial = Trial(program, storage, f"{seed} {name}")
    start = time.monotonic()
    try:
        function(trial) if word is None else function(trial, word)
    except Ended:
        pass
    finally:
        trial.close()
    return trial.verdict, trial.note, len(trial.world.log), time.monotonic() - start
