"""Controls a headless Chromium through a pipe (DevTools protocol), with the standard library only."""

import base64
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
KEYS = {
    "Tab": 9, "Enter": 13, "Escape": 27, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36, "ArrowUp": 38,
    "ArrowDown": 40,
}


def find():
    """Returns the path of the browser, or None when none is installed."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Chromium:
    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="patchbay-chromium-")
        to_browser, self.to = os.pipe()
        self.source, from_browser = os.pipe()

        def connect():
            # The browser uses the descriptors 3 and 4, which may already be ends of our pipes.
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--remote-debugging-pipe", "--user-data-dir=" + self.profile],
            close_fds=False, preexec_fn=connect, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number = 0
        self.waiting = {}
        self.events = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        rest = b""
        while piece := os.read(self.source, 1 << 20):
            *messages, rest = (rest + piece).split(b"\0")
            for message in map(json.loads, messages):
                if "id" in message:
                    self.waiting.pop(message["id"]).put(message)
                else:
                    self.events.append(message)

    def call(self, method, session=None, timeout=900, **parameters):
        self.number += 1
        answer = self.waiting[self.number] = queue.Queue()
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        result = answer.get(timeout=timeout)
        if "error" in result:
            raise RuntimeError(f"{method}: {result['error']['message']}")
        return result["result"]

    def close(self):
        self.process.terminate()
        self.process.wait(20)
        shutil.rmtree(self.profile, ignore_errors=True)


class Window:
    """A page in its own window."""

    def __init__(self, browser, address, width=1280, height=800, before=""):
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.size(width, height)
        if before:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        self.go(address)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def go(self, address):
        self.call("Page.navigate", url=address)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def dark(self, is_dark):
        value = "dark" if is_dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def run(self, script):
        """Returns the value of an expression; a promise is awaited."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def until(self, script, seconds=15):
        """Waits until an expression is true, and returns its value and the seconds that passed."""
        start = time.monotonic()
        while time.monotonic() < start + seconds:
            try:
                if value := self.run(script):
                    return value, time.monotonic() - start
            except RuntimeError:
                pass  # The page is being replaced.
            time.sleep(0.02)
        shown = self.run("document.body.innerText.slice(0, 400)")
        raise AssertionError(f"not within {seconds} s: {script}\n{shown}")

    def key(self, *keys):
        for key in keys:
            code = {"key": key, "windowsVirtualKeyCode": KEYS.get(key) or ord(key.upper())}
            text = {"text": "\r" if key == "Enter" else key} if key == "Enter" or len(key) == 1 else {}
            self.call("Input.dispatchKeyEvent", type="keyDown", **code, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", **code)

    def type(self, text):
        for letter in text:
            self.call("Input.insertText", text=letter)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def events(self, *names):
        return [event for event in self.browser.events
                if event.get("sessionId") == self.session and event["method"] in names]

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
