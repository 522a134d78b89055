"""Chromium without a screen, driven through its debugging pipe (the Chrome DevTools Protocol)."""
import json
import os
import shutil
import subprocess
import tempfile
import time

BROWSER = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)


class Browser:
    """A page. Commands are JSON texts that end with a zero byte: to the browser by descriptor 3, from it by 4."""

    def __init__(self, page, width=1000, height=1400, ready="looks"):
        """ready: what the page's last script sets in its root's data."""
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to = os.pipe()
        self.out, out_write = os.pipe()

        def descriptors():
            first, second = os.dup(to_read), os.dup(out_write)  # 3 and 4 may be any of the four
            os.dup2(first, 3)
            os.dup2(second, 4)
        self.process = subprocess.Popen(
            [BROWSER, "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--window-size={width},{height}",
             f"--user-data-dir={self.profile.name}", "about:blank"], preexec_fn=descriptors, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.profile.name})
        for end in (to_read, out_write):
            os.close(end)
        self.buffer, self.number, self.session = b"", 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Page.navigate", url="file://" + page)
        self.wait_for("document.documentElement && document.documentElement.dataset." + ready + " !== undefined")

    def read(self):
        while b"\0" not in self.buffer:
            more = os.read(self.out, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while (answer := self.read()).get("id") != self.number:
            pass
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    def value(self, expression):
        """Of a JavaScript expression, which may be a promise."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def wait_for(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not self.value(condition):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.02)

    def press(self, key, shift=False):
        text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 if shift else 0, **(text if kind == "keyDown" else {}))

    def mouse(self, kind, x, y):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=int(kind != "mouseReleased"), clickCount=1)

    def close(self):
        self.process.kill()
        self.process.wait()
        for end in (self.to, self.out):
            os.close(end)
        self.profile.cleanup()
