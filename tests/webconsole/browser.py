"""The web console in a browser: real clicks and keys in a headless Chromium. Arguments: the port, the token, a folder for pictures.

Chromium is driven by WebDriver (W3C), which is JSON over HTTP: chromedriver answers. Prints what does not hold, and exits with 1 then.
"""

import base64
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time

PORT, TOKEN, PICTURES = int(sys.argv[1]), sys.argv[2], sys.argv[3]
ADDRESS = "http://127.0.0.1:%d/" % PORT
MARKUP = "<b>bold</b>"
TAB, ENTER, ESCAPE = "\ue004", "\ue007", "\ue00c"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    def __init__(self, width, height, dark):
        self.folder = tempfile.TemporaryDirectory()
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.port = int(line.rstrip(".\n").rsplit(" ", 1)[1])
                break
        arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--window-size=%d,%d" % (width, height), "--user-data-dir=" + self.folder.name,
        ] + (["--blink-settings=preferredColorScheme=0", "--force-dark-mode"] if dark else [])
        options = {"args": arguments, "prefs": {}}
        if width < 500:
            options["mobileEmulation"] = {"deviceMetrics": {"width": width, "height": height, "pixelRatio": 2.0}}
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}
        self.session = self.call("POST", "/session", wanted)["sessionId"]

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, json.dumps(body) if body is not None else None)
        value = json.loads(connection.getresponse().read())["value"]
        if isinstance(value, dict) and "error" in value:
            raise AssertionError(value["message"].splitlines()[0])
        return value

    def do(self, method, path, body=None):
        return self.call(method, "/session/%s%s" % (self.session, path), body)

    def go(self, address):
        self.do("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        return self.do("POST", "/execute/sync", {"script": "return " + script, "args": list(arguments)})

    def find(self, xpath):
        return self.do("POST", "/element", {"using": "xpath", "value": xpath})[ELEMENT]

    def click(self, xpath):
        self.do("POST", "/element/%s/click" % self.find(xpath), {})

    def press(self, keys):
        steps = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.do("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def until(self, script, *arguments):
        end = time.monotonic() + 30
        while not self.run(script, *arguments):
            if time.monotonic() > end:
                raise AssertionError("never: " + script)
            time.sleep(0.1)

    def picture(self, name):
        with open(os.path.join(PICTURES, name + ".png"), "wb") as file:
            file.write(base64.b64decode(self.do("GET", "/screenshot")))

    def end(self):
        try:
            self.do("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(20)
            self.folder.cleanup()


def node(name):
    return "//*[local-name()='g' and starts-with(@aria-label, '%s,')]" % name


SHOWN = "document.querySelectorAll('#graph .node').length > 5"
FOCUSED = "document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"


def without_the_token_it_shows_nothing(browser):
    browser.go(ADDRESS)
    assert browser.run("!document.getElementById('door').hidden && document.getElementById('graph').hidden")
    # By keys: the field has the focus.
    browser.press(list("0" * 32) + [ENTER])
    browser.until("document.getElementById('message').textContent.includes('token')")
    assert not browser.run(SHOWN)
    browser.press(list(TOKEN) + [ENTER])
    browser.until(SHOWN)


def the_address_with_the_token_shows_the_graph(browser):
    browser.go("about:blank")
    browser.go(ADDRESS + "#" + TOKEN)
    browser.until(SHOWN)
    assert TOKEN not in browser.run("location.href")
    browser.until("document.querySelectorAll('#graph .rate').length > 0")
    assert not browser.run("document.documentElement.scrollWidth > innerWidth")


def a_component_is_found_and_restarted_by_keys(browser):
    for _ in range(60):
        browser.press([TAB])
        if (browser.run(FOCUSED) or "").startswith("clock,"):
            break
    else:
        raise AssertionError("no way to clock by keys")
    browser.press([ENTER])
    browser.until("document.querySelector('#detail h2')?.textContent === 'clock'")
    before = browser.run("document.querySelector('.node[aria-pressed=true]').dataset.identity")
    browser.do("POST", "/element/%s/value" % browser.find("//button[@data-act='restart']"), {"text": ENTER})
    browser.do("POST", "/alert/accept", {})
    browser.until("[...document.querySelectorAll('.node')].some(n => n.getAttribute('aria-label').startsWith('clock,') && n.dataset.identity !== arguments[0])", before)
    browser.press([ESCAPE])


def names_with_markup_are_text(browser):
    browser.click("//button[@data-view='table']")
    browser.until("[...document.querySelectorAll('#rows button')].some(b => b.textContent === arguments[0])", MARKUP)
    assert not browser.run("document.querySelector('#rows b')")
    browser.click("//button[@data-view='files']")
    browser.click("//*[@id='entries']//button[.='www/']")
    name = MARKUP.replace("/", "")
    browser.until("[...document.querySelectorAll('#entries button')].some(b => b.textContent === arguments[0])", name)
    browser.click("//*[@id='entries']//button[.='%s']" % name)
    browser.until("document.getElementById('contents').textContent.includes('alert(1)')")
    assert not browser.run("document.querySelector('main b, main script, main img')")
    browser.click("//button[@data-view='graph']")


def a_component_is_stopped_and_started_by_clicks(browser):
    browser.click(node("clock"))
    browser.click("//button[@data-act='stop']")
    browser.do("POST", "/alert/accept", {})
    browser.until("![...document.querySelectorAll('.node')].some(n => n.getAttribute('aria-label').startsWith('clock,'))")
    browser.until("[...document.querySelectorAll('#start option')].some(o => o.value === 'clock')")
    browser.run("(document.getElementById('start').value = 'clock')")
    browser.click("//button[@id='go']")
    browser.until("[...document.querySelectorAll('.node')].some(n => n.getAttribute('aria-label').startsWith('clock,'))")
    browser.click("//button[@data-view='log']")
    browser.until("document.getElementById('lines').textContent.includes('clock')")
    browser.click("//button[@data-view='graph']")


TESTS = [
    without_the_token_it_shows_nothing,
    the_address_with_the_token_shows_the_graph,
    a_component_is_found_and_restarted_by_keys,
    names_with_markup_are_text,
    a_component_is_stopped_and_started_by_clicks,
]
failed = 0
for name, width, height, dark in [("light", 1280, 860, False), ("dark", 1280, 860, True), ("phone", 390, 844, False)]:
    browser = Browser(width, height, dark)
    try:
        for test in TESTS if name == "light" else TESTS[1:2]:
            try:
                test(browser)
            except Exception as error:
                failed += 1
                print("%s, %s: %s %s" % (name, test.__name__, type(error).__name__, error))
        time.sleep(5)
        browser.picture(name)
    finally:
        browser.end()
sys.exit(failed > 0)
