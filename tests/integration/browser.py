"""A headless Chromium, driven by the W3C's WebDriver protocol through Debian's chromium-driver."""

import base64
import contextlib
import http.client
import json
import pathlib
import shutil
import subprocess
import tempfile

import fanfold
from ports import free_port

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ANSWER_S = 60
ENTER, ESCAPE, TAB, SPACE = "\ue007", "\ue00c", "\ue004", " "


class Browser:
    """One window; close() ends what it started."""

    def __init__(self, width=1280, height=900):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fanfold-browser-"))
        self.port, self.session = free_port(), None
        with open(self.folder / "driver.log", "wb") as log:
            self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}"], stdout=log, stderr=log)
        try:
            fanfold.wait_until(self.is_ready, "chromedriver is ready")
            self.begin(width, height)
        except BaseException:
            self.close()
            raise

    def begin(self, width, height):
        capabilities = {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"}, "goog:chromeOptions": {
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     f"--window-size={width},{height}", f"--user-data-dir={self.folder}/profile"]}}
        made = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}}, session=False)
        self.session = made["sessionId"]

    def is_ready(self):
        if self.driver.poll() is not None:
            raise AssertionError(f"chromedriver ended:\n{(self.folder / 'driver.log').read_text()}")
        with contextlib.suppress(OSError):
            return self.ask("GET", "/status", session=False)["ready"]
        return False

    def ask(self, method, path, body=None, session=True):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_S)
        with contextlib.closing(connection):
            text = json.dumps(body or {}) if method == "POST" else None
            connection.request(method, f"/session/{self.session}{path}" if session else path, text,
                               {"Content-Type": "application/json"} if text else {})
            answer = connection.getresponse()
            value = json.loads(answer.read())["value"]
        if answer.status != 200:
            raise AssertionError(f"{method} {path}: {value.get('error')}: {value.get('message')}")
        return value

    def open(self, url):
        self.ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def command(self, name, **parameters):
        """One of the DevTools protocol."""
        return self.ask("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def find(self, selector, timeout_s=30):
        """The first element that fits, once there is one."""
        def found():
            with contextlib.suppress(AssertionError):
                return self.ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]
        return self.shown(found, selector, timeout_s)

    def shown(self, condition, what, timeout_s=30):
        """Waits for it; the page's text is told where it does not come."""
        try:
            return fanfold.wait_until(condition, what, timeout_s)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.text()[:3000]}") from error

    def click(self, selector):
        """Once it is there. What is drawn anew meanwhile is looked for again, what stands behind something
        scrolled to where it does not."""
        def clicked():
            element = self.find(selector)
            try:
                self.run("arguments[0].scrollIntoView({block: 'center'})", {ELEMENT: element})
                self.ask("POST", f"/element/{element}/click")
                return True
            except AssertionError as error:
                if "stale element" in str(error) or "click intercepted" in str(error):
                    return False
                raise
        self.shown(clicked, f"a click on {selector}")

    def type(self, selector, text):
        self.ask("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def keys(self, *keys):
        """To whatever has the focus, one after another."""
        strokes = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": strokes}]})

    def text(self, selector="body"):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def await_text(self, text, selector="body", timeout_s=30):
        self.shown(lambda: text in self.text(selector), f"{text!r} in {selector}", timeout_s)

    def picture(self, file):
        file.write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))

    def complaints(self):
        """What the console of the browser says since it was last asked: scripts, network, policy."""
        return [f"{entry['source']}: {entry['message']}" for entry in self.ask("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]

    def close(self):
        if self.session:
            with contextlib.suppress(AssertionError, OSError):
                self.ask("DELETE", "")
        self.driver.terminate()
        self.driver.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)
