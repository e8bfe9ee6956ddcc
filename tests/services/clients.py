"""Clients of the HTTP server that nobody here wrote: Python's http.client, and sockets that behave badly.

clients.py PORT INDEX LONG: the port, and files with what / and /data/long must answer. Says "all answered" when they do."""
import http.client
import socket
import struct
import sys
import threading
import time

port = int(sys.argv[1])
index = open(sys.argv[2], 'rb').read()
long = open(sys.argv[3], 'rb').read()
PATIENCE = 60


def connect():
    stream = socket.create_connection(('127.0.0.1', port), PATIENCE)
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return stream


def until_end(stream):
    """All that comes until the other side ends the connection, however it does that."""
    said = b''
    try:
        while piece := stream.recv(65536):
            said += piece
    except ConnectionError:
        pass
    return said


def must(condition, what):
    if not condition:
        raise SystemExit(f'not so: {what}')


def answered():
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=PATIENCE)
    connection.request('GET', '/')
    must(connection.getresponse().read() == index, 'the next one is answered')
    connection.close()


def kept_alive():
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=PATIENCE)
    used = None
    for method, path, headers, status, body in [
        ('GET', '/', {}, 200, index),
        ('GET', '/data/long', {}, 200, long),
        ('HEAD', '/data/long', {}, 200, b''),
        ('GET', '/data/long', {'Range': 'bytes=5-'}, 206, long[5:]),
        ('GET', '/data/long', {'Range': 'bytes=-7'}, 206, long[-7:]),
        ('GET', '/data/long', {'Range': f'bytes={len(long)}-'}, 416, None),
        ('GET', '/nothing', {}, 404, None),
        ('GET', '/../../www/index.html', {}, None, None),
        ('POST', '/', {}, 405, None),
        ('PUT', '/index.html', {}, 405, None),
        ('DELETE', '/index.html', {}, 405, None),
        ('GET', '/index.html?question', {'Accept': '*/*', 'User-Agent': 'x' * 1000}, 200, index),
    ]:
        connection.request(method, path, b'some words' if method in ('POST', 'PUT') else None, headers)
        used = used or connection.sock
        must(connection.sock is used, f'the connection goes on to {method} {path}')
        answer = connection.getresponse()
        said = answer.read()
        must(status in (None, answer.status), f'{method} {path} {headers}: {answer.status}, not {status}')
        must(body in (None, said), f'{method} {path} {headers}: {len(said)} other bytes')
        # Only behind what was refused it may end.
        must(answer.status >= 400 or not answer.will_close, f'the connection stays behind {method} {path}')
        used = connection.sock
    # A body whose length nobody says.
    connection.request('POST', '/', iter([b'one', b'two']), encode_chunked=True)
    must(connection.getresponse().status >= 400, 'a body in pieces is refused')
    connection.close()


def refused():
    for head, status in [
        (b'GET / HTTP/1.1\r\nHost: h\r\nX: ' + b'a' * 20_000 + b'\r\n\r\n', 431),
        (b'GET / HTTP/1.1\r\nHost: h\r\n' + b'A: b\r\n' * 200 + b'\r\n', 431),
        (b'GET /' + b'a' * 20_000 + b' HTTP/1.1\r\nHost: h\r\n\r\n', 431),
        (b'GET / HTTP/1.1\r\n\r\n', 400),
        (b'GET / HTTP/9.9\r\nHost: h\r\n\r\n', None),
        (b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', None),
        (b'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n', None),
        (b'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n', None),
        (b'GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n', None),
    ]:
        with connect() as stream:
            stream.sendall(head)
            said = until_end(stream)
            first = said.split(b'\r\n')[0]
            if status:
                must(first.startswith(b'HTTP/1.1 %d ' % status), f'{head[:40]}: {first}, not {status}')
            else:
                must(not said or int(first.split()[1]) >= 400, f'{head[:40]}: {first}')


def pipelined():
    one = b'GET /data/long HTTP/1.1\r\nHost: h\r\n\r\n'
    two = b'GET / HTTP/1.1\r\nHost: h\r\n\r\n'
    last = b'GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n'
    with connect() as stream:
        stream.sendall((one + two) * 10 + last)
        said = until_end(stream)
    for n in range(21):
        body = long if n < 20 and n % 2 == 0 else index
        head, _, said = said.partition(b'\r\n\r\n')
        must(head.startswith(b'HTTP/1.1 200'), f'answer {n} begins with {head[:40]}')
        must(said.startswith(body), f'the body of answer {n}')
        said = said[len(body):]
    must(said == b'', 'nothing follows the last answer')


def slow_writer(told):
    """A byte at a time, and never the last one: it is told that it took too long."""
    with connect() as stream:
        start = time.time()
        try:
            for byte in b'GET / HTTP/1.1\r\nHost: ' + b'h' * 1000:
                stream.sendall(bytes([byte]))
                time.sleep(0.25)
        except ConnectionError:
            pass
        told.append((until_end(stream).split(b'\r\n')[0], time.time() - start))


def slow_reader(told):
    """Takes a long answer in small pieces with pauses: it gets all of it."""
    with connect() as stream:
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stream.sendall(b'GET /data/long HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')
        said = b''
        while piece := stream.recv(5000):
            said += piece
            time.sleep(0.03)
        told.append(said.partition(b'\r\n\r\n')[2] == long)


def vanish(count):
    """Clients that go in the middle of a head, of an answer, or at once."""
    for n in range(count):
        with connect() as stream:
            # Its end is a reset.
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
            if n % 3:
                stream.sendall(b'GET /data/long HTTP/1.1\r\nHost: h\r\n' + b'\r\n' * (n % 3 - 1))


late, patient = [], []
slow = [threading.Thread(target=slow_writer, args=(late,)), threading.Thread(target=slow_reader, args=(patient,))]
for thread in slow:
    thread.start()
kept_alive()
refused()
pipelined()
vanish(150)
answered()
kept_alive()
for thread in slow:
    thread.join()
must(patient == [True], 'a slow reader gets all of it')
must(late and late[0][0].startswith(b'HTTP/1.1 408') and late[0][1] < 30, f'a slow writer is told so: {late}')
print('all answered')
