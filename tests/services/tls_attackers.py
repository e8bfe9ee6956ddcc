"""Who does all to an HTTPS server that TLS lets him, and much that it does not, while others ask it as they should.

tls_attackers.py PORT INDEX CERTIFICATE: what / must answer, and who vouches for the server. Says "all answered" when it did, each time."""
import os
import random
import socket
import ssl
import struct
import sys
import threading
import time

port = int(sys.argv[1])
index = open(sys.argv[2], 'rb').read()
certificate = sys.argv[3]
PATIENCE = 60
rounds = random.Random(11)


def must(condition, what):
    if not condition:
        raise SystemExit(f'not so: {what}')


def connect():
    stream = socket.create_connection(('127.0.0.1', port), PATIENCE)
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return stream


def context(honest=True):
    made = ssl.create_default_context(cafile=certificate)
    if not honest:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    return made


def ask():
    with context().wrap_socket(connect(), server_hostname='localhost') as stream:
        stream.sendall(b'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
        said = b''
        while piece := stream.recv(65536):
            said += piece
        return said


def answered(tries=20):
    """Somebody honest is answered; who finds all places taken comes again."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            said = ask()
            must(said.startswith(b'HTTP/1.1 200') and said.endswith(index), f'the index: {said[:200]}')
            return
        except (OSError, ssl.SSLError) as error:
            must(time.monotonic() < end, f'nobody answered for a minute: {error}')
            time.sleep(0.1)


class Client:
    """One side of TLS whose records are in one's own hands."""

    def __init__(self, version=None):
        own = context(honest=False)
        if version:
            own.maximum_version = version
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = own.wrap_bio(self.incoming, self.outgoing, server_hostname='localhost')

    def step(self):
        """What it would send next."""
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        return self.outgoing.read()

    def through(self, stream):
        """The handshake comes to its end."""
        while True:
            try:
                self.tls.do_handshake()
                stream.sendall(self.outgoing.read())
                return
            except ssl.SSLWantReadError:
                stream.sendall(self.outgoing.read())
                piece = stream.recv(65536)
                if not piece:
                    raise ConnectionError('ended')
                self.incoming.write(piece)

    def sealed(self, plain):
        self.tls.write(plain)
        return self.outgoing.read()


def record(kind, body):
    return struct.pack('>BHH', kind, 0x303, len(body)) + body


def reset(stream):
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    stream.close()


def hello():
    return Client().step()


# What is sent before anything has come back.
def openings():
    body = hello()[5:]
    yield 'a record of 65,535 bytes', b'\x16\x03\x01\xff\xff' + bytes(65535)
    yield 'the longest record and one byte', record(22, os.urandom(16384 + 257))
    yield 'records of nothing', record(22, b'') * 5000
    yield 'changes of ciphers', record(20, b'\1') * 5000
    yield 'warnings', record(21, b'\1\x5a') * 5000
    yield 'a hello in records of a byte', b''.join(record(22, body[n:n + 1]) for n in range(len(body)))
    yield 'a hello of 16 MB', b''.join(record(22, (b'\1\xff\xff\xff' if n == 0 else b'') + bytes(16000)) for n in range(60))
    yield 'many hellos', hello() * 40
    yield 'a hello, and data', hello() + record(23, os.urandom(16000)) * 4
    for _ in range(10):
        broken = bytearray(hello())
        for _ in range(rounds.randint(1, 6)):
            broken[rounds.randrange(len(broken))] = rounds.randrange(256)
        yield 'a hello that is broken', bytes(broken)
    for _ in range(6):
        long = bytearray(body)
        at = rounds.randrange(40, len(long) - 1)
        long[at:at + 2] = b'\xff\xff'
        yield 'lengths that lead out of it', record(22, bytes(long))


# What is sent once both have agreed on a key.
def closings(client):
    yield 'what nobody has sealed', record(23, os.urandom(5000))
    yield 'a change of ciphers', record(20, b'\1') * 100
    yield 'a second hello', hello()
    yield 'a request of one byte at a time', b''.join(client.sealed(b'a') for _ in range(2000))
    yield 'a head without an end', client.sealed(b'GET / HTTP/1.1\r\nx: ' + b'y' * 60000)
    yield 'one record twice', client.sealed(b'GET / HTTP/1.1\r\n') * 2
    sealed = bytearray(client.sealed(b'GET / HTTP/1.1\r\nHost: h\r\n\r\n'))
    sealed[-1] ^= 1
    yield 'one with a bit changed', bytes(sealed)


def send(stream, bytes_):
    try:
        stream.sendall(bytes_)
        stream.settimeout(0.1)
        while stream.recv(65536):
            pass
    except OSError:
        pass


def attack(name, body):
    """Whatever becomes of it is the attacker's affair: others are answered."""
    try:
        body()
    except (OSError, ssl.SSLError, ConnectionError):
        pass


def opening(bytes_, leaves):
    stream = connect()
    send(stream, bytes_)
    (reset if leaves else socket.socket.close)(stream)


def closing(n, version):
    client, stream = Client(version), connect()
    client.through(stream)
    for m, (_, bytes_) in enumerate(closings(client)):
        if m == n:
            send(stream, bytes_)
    stream.close()


def crowd(held):
    """Many that begin as they should, and then wait."""
    for n in range(36):
        try:
            stream = connect()
            if n % 3 == 0:
                stream.sendall(hello())
            elif n % 3 == 1:
                Client().through(stream)
            else:
                client = Client()
                client.through(stream)
                stream.sendall(client.sealed(b'GET /data/long HTTP/1.1\r\nHost: h\r\n\r\n'))
            held.append(stream)
        except (OSError, ssl.SSLError, ConnectionError):
            pass


def main():
    answered()
    over = threading.Event()
    asked = [0]

    def goes_on():
        while not over.is_set():
            answered()
            asked[0] += 1

    honest = threading.Thread(target=goes_on)
    honest.start()
    for n, (name, bytes_) in enumerate(openings()):
        attack(name, lambda: opening(bytes_, n % 2))
    for version in [ssl.TLSVersion.TLSv1_3, ssl.TLSVersion.TLSv1_2]:
        for n in range(7):
            attack('after the handshake', lambda: closing(n, version))
    for _ in range(30):
        attack('who goes in the middle', lambda: opening(hello()[:rounds.randrange(1, 300)], True))
    over.set()
    honest.join()
    must(asked[0] > 5, f'others were answered {asked[0]} times')
    held = []
    crowd(held)
    answered()
    for stream in held:
        reset(stream)
    answered()
    print('all answered')


main()
