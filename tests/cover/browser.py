# SPDX-License-Identifier: BSD-2-Clause
"""A page in headless Chromium, driven through the pipe of its developer protocol."""
import base64
import json
import os
import subprocess
import tempfile
import time

OPTIONS = ("--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
           "--disable-background-networking --disable-component-update --remote-debugging-pipe "
           "--force-color-profile=srgb").split()


class Browser:
    """with Browser("chromium", width, height) as browser: ..."""

    def __init__(self, program, width=1400, height=1000, dark=False):
        # Its children may still write there.
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        ours, theirs = os.pipe(), os.pipe()
        # Chromium reads descriptor 3 and writes 4.
        command = (f'exec 3<&{ours[0]} 4>&{theirs[1]}; exec "$@"')
        self.process = subprocess.Popen(
            ["sh", "-c", command, "sh", program, *OPTIONS, f"--user-data-dir={self.folder.name}"],
            pass_fds=(ours[0], theirs[1]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(ours[0])
        os.close(theirs[1])
        self.to, self.back = ours[1], theirs[0]
        self.number, self.rest, self.session = 0, b"", None
        self.requests = []  # URLs that the page asked for
        self.problems = []  # what its console and its exceptions say
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.send(domain + ".enable")
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to)
        self.process.terminate()
        self.process.wait()
        os.close(self.back)
        self.folder.cleanup()

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def receive(self):
        while b"\0" not in self.rest:
            part = os.read(self.back, 1 << 20)
            if not part:
                raise RuntimeError("the browser has gone")
            self.rest += part
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def note(self, event):
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method in ("Runtime.exceptionThrown", "Log.entryAdded"):
            self.problems.append(json.dumps(parameters)[:500])

    def run(self, script):
        """The value of an expression in the page."""
        result = self.send("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, script, seconds=60):
        """Wait until an expression is true."""
        end = time.time() + seconds
        while not self.run(f"!!({script})"):
            if time.time() > end:
                raise RuntimeError(f"never true: {script}")
            time.sleep(0.1)

    def open(self, url, ready):
        self.send("Page.navigate", url=url)
        self.wait(ready)

    def press(self, key, text=None):
        codes = {"Enter": 13, "Tab": 9}
        common = {"key": key, "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper()))}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text or ("\r" if key == "Enter" else ""),
                  **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def screenshot(self, path):
        data = self.send("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
