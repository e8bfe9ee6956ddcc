"""The web console's interface, from outside: what it answers, and what it refuses. Arguments: the port, the token.

Run by `./pebble test webconsole::`, which boots the system that it asks; prints what does not hold, and exits with 1 then.
"""

import http.client
import json
import socket
import sys
import threading
import time

PORT, TOKEN = int(sys.argv[1]), sys.argv[2]
MARKUP = "<b>bold</b>"


def ask(path, method="GET", token=TOKEN, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=20)
    given = {} if token is None else {"Authorization": "Bearer " + token}
    given.update({name.replace("_", "-"): value for name, value in headers.items()})
    connection.request(method, path, headers=given)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def status(*arguments, **more):
    return ask(*arguments, **more)[0].status


def state():
    answer, body = ask("/api/state")
    assert answer.status == 200, answer.status
    return json.loads(body)


def domain(name):
    return next((d for d in state()["domains"] if d["name"] == name), None)


def until(what, wanted):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            if wanted():
                return
        except (ConnectionError, TimeoutError, http.client.HTTPException):
            # It has too many, and lets go of some.
            pass
        time.sleep(0.2)
    raise AssertionError(what)


def the_page_is_the_same_for_everybody_and_says_nothing():
    for path, kind in [("/", "text/html"), ("/console.css", "text/css"), ("/console.js", "text/javascript")]:
        answer, body = ask(path, token=None)
        assert answer.status == 200 and answer.headers["Content-Type"].startswith(kind), path
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy, policy
        assert "unsafe" not in policy and "*" not in policy, policy
        assert answer.headers["Set-Cookie"] is None and answer.headers["Access-Control-Allow-Origin"] is None
        assert TOKEN.encode() not in body and b"shell" not in body


def without_the_token_nothing_is_shown_or_changed():
    shell = domain("shell")
    change = "/api/stop/%d/%s" % (shell["id"], shell["identity"])
    for token in [None, "", TOKEN[:-1], TOKEN + "0", "0" * 32, "g" + TOKEN[1:], "x" * 5000]:
        for path, method in [("/api/state", "GET"), ("/api/log", "GET"), ("/api/files/", "GET"), ("/api/x", "GET"), (change, "POST")]:
            assert status(path, method, token) == 401, (token, path)
    answer, body = ask("/api/state?token=" + TOKEN, token=None, Cookie="token=" + TOKEN)
    assert answer.status == 401 and body == b""
    assert domain("shell")["identity"] == shell["identity"]


def another_origin_is_refused_even_with_the_token():
    shell = domain("shell")
    change = "/api/stop/%d/%s" % (shell["id"], shell["identity"])
    for headers in [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"}]:
        assert status("/api/state", **headers) == 403, headers
        assert status(change, "POST", **headers) == 403, headers
    assert status("/api/state", "OPTIONS", Origin="http://evil.example") == 405
    assert status("/api/state", Origin="http://127.0.0.1:%d" % PORT, Sec_Fetch_Site="same-origin") == 200
    assert domain("shell")["identity"] == shell["identity"]


def nothing_is_changed_by_what_a_link_can_ask():
    shell = domain("shell")
    assert status("/api/stop/%d/%s" % (shell["id"], shell["identity"])) == 405
    assert status("/api/start/shell") == 405
    assert domain("shell")["identity"] == shell["identity"]


def the_state_is_what_there_is():
    said = state()
    assert said["counters"] is True
    names = [d["name"] for d in said["domains"]]
    for name in ["idle", "scheduler", "portals", "memory", "files", "internet", "shell", "webconsole"]:
        assert name in names, name
    own = next(d for d in said["domains"] if d["id"] == said["own"])
    assert own["name"] == "webconsole" and {"files", "disk", "memory"} <= {name for name, _, _ in own["limits"]}
    portal = next(p for p in own["portals"] if p["name"] == "inspect.calls")
    assert portal["spec"] == "smtiw"
    again = state()
    later = next(p for d in again["domains"] if d["id"] == said["own"] for p in d["portals"] if p["name"] == "inspect.calls")
    # Once for each domain, each time. One may have come or gone in between.
    counts = sorted([len(names), len(again["domains"])])
    assert counts[0] <= later["calls"] - portal["calls"] <= counts[1], (later, portal, counts)
    assert domain("idle")["time"] > 0


def names_with_markup_are_strings():
    assert domain(MARKUP) is not None
    answer, body = ask("/api/files/www")
    assert answer.headers["Content-Type"] == "application/json"
    assert MARKUP.replace("/", "") in [entry["name"] for entry in json.loads(body)["entries"]]
    answer, body = ask("/api/files/www/" + MARKUP.replace("/", ""))
    assert answer.headers["Content-Type"].startswith("text/plain") and body == b"<script>alert(1)</script>"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def files_and_what_is_none():
    assert status("/api/files/") == 200
    assert status("/api/files/nothing") == 404
    assert status("/api/files/../x") == 400
    assert status("/api/nothing") == 404
    assert status("/nothing") == 404
    answer, _ = ask("/api/log")
    assert answer.status == 200 and answer.headers["Content-Type"].startswith("text/plain")


def a_component_is_restarted_stopped_and_started():
    before = domain("clock")
    assert status("/api/restart/%d/%s" % (before["id"], before["identity"]), "POST") == 200
    until("clock is back", lambda: (domain("clock") or before)["identity"] != before["identity"])
    # Who was meant is no more: nobody else is hit.
    assert status("/api/stop/%d/%s" % (before["id"], before["identity"]), "POST") == 404
    now = domain("clock")
    assert status("/api/stop/%d/%s" % (now["id"], before["identity"]), "POST") == 404
    assert domain("clock")["identity"] == now["identity"]
    # Its manifest says that it is started again; it is not, when it was stopped here.
    assert status("/api/stop/%d/%s" % (now["id"], now["identity"]), "POST") == 200
    until("clock has ended", lambda: domain("clock") is None)
    time.sleep(1)
    assert domain("clock") is None
    assert status("/api/start/clock", "POST") == 200
    until("clock runs", lambda: domain("clock") is not None)
    assert status("/api/start/nothing", "POST") == 404


def what_the_system_needs_is_not_ended():
    for name in ["scheduler", "portals", "memory", "idle"]:
        d = domain(name)
        assert status("/api/stop/%d/%s" % (d["id"], d["identity"]), "POST") == 403, name


def many_connections_and_long_requests_leave_it_serving():
    lines = [socket.create_connection(("127.0.0.1", PORT), timeout=20) for _ in range(60)]
    for line in lines:
        line.sendall(b"GET /api/state HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ")
    for line in lines:
        line.close()
    line = socket.create_connection(("127.0.0.1", PORT), timeout=20)
    line.sendall(b"GET / HTTP/1.1\r\nHost: h\r\nX: " + b"x" * 20000)
    assert b" 431 " in line.recv(4096).split(b"\r\n")[0]
    line.close()
    until("it answers again", lambda: status("/api/state") == 200)
    # Where nobody reads the answers, it keeps what one connection may have, and no more.
    idle = [socket.create_connection(("127.0.0.1", PORT), timeout=20) for _ in range(10)]
    for line in idle:
        line.sendall((b"GET /api/state HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer %s\r\n\r\n" % TOKEN.encode()) * 20)
    assert status("/api/state") == 200
    for line in idle:
        line.close()


def who_asks_much_at_once_waits_for_the_others_too():
    """One connection on which requests are sent faster than they can be answered: between two of its answers others have theirs."""
    line = socket.create_connection(("127.0.0.1", PORT), timeout=20)
    answered, over = [0], threading.Event()

    def send():
        requests = b"HEAD / HTTP/1.1\r\nHost: h\r\n\r\n" * 100
        while not over.is_set():
            line.sendall(requests)

    def receive():
        rest = b""
        while not over.is_set():
            rest += line.recv(65536)
            answered[0] += rest.count(b"HTTP/1.1 200")
            rest = rest[-len(b"HTTP/1.1 20") :]

    threads = [threading.Thread(target=work, daemon=True) for work in (send, receive)]
    for thread in threads:
        thread.start()
    until("it is answered", lambda: answered[0] > 100)
    passed = []
    for _ in range(9):
        before = answered[0]
        assert status("/api/state") == 200
        passed.append(answered[0] - before)
    over.set()
    line.close()
    assert max(passed) < 1000, "%s of its answers while another waited for one" % passed


failed = 0
for test in [value for name, value in list(globals().items()) if callable(value) and value.__module__ == "__main__"]:
    if test.__code__.co_argcount or test.__code__.co_flags & 0x0C or test.__name__ in ("state",):
        continue
    try:
        test()
    except Exception as error:
        failed += 1
        print("%s: %s %s" % (test.__name__, type(error).__name__, error))
sys.exit(failed > 0)
