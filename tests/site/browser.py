# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""A headless Chromium, spoken to through pipes by the DevTools protocol (messages of JSON that end with a
zero byte)."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find():
    """The path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of it: `messages` are what was said without being asked."""

    def __init__(self, path):
        to_read, self.to = os.pipe()
        self.of, to_write = os.pipe()
        self.profile = tempfile.TemporaryDirectory()
        options = ["--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
                   "--hide-scrollbars", f"--user-data-dir={self.profile.name}"]
        if os.getuid() == 0:
            options.append("--no-sandbox")  # which it demands of root

        def pipes_as_it_expects_them():
            # High numbers first, as 3 or 4 may be one of these.
            read, write = os.dup2(to_read, 100), os.dup2(to_write, 101)
            os.dup2(read, 3)
            os.dup2(write, 4)
        self.process = subprocess.Popen([path, *options], preexec_fn=pipes_as_it_expects_them, close_fds=False,
                                        stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.number, self.messages, self.session = b"", 0, [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        try:
            self.profile.cleanup()
        except OSError:  # a process of it may still write there
            pass

    def receive(self, until):
        while b"\0" not in self.buffer:
            if not select.select([self.of], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            part = os.read(self.of, 1 << 20)
            if not part:
                raise EOFError("Chromium has ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, seconds=60, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + seconds
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.messages.append(answer)

    def resize(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, scheme):
        """`light` or `dark`."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, url):
        """Load a page, to its end; the messages that came meanwhile."""
        self.messages = []
        failed = self.ask("Page.navigate", url=url).get("errorText")
        if failed:
            raise RuntimeError(f"{url}: {failed}")
        until = time.monotonic() + 60
        while not any(message.get("method") == "Page.loadEventFired" for message in self.messages):
            self.messages.append(self.receive(until))
        return self.messages

    def evaluate(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def screenshot(self, file):
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        with open(file, "wb") as picture:
            picture.write(base64.b64decode(data))
