"""A small client of `limber view`: HTTP and WebSocket over plain sockets, so that requests can be wrong on purpose."""

import base64
import json
import os
import resource
import socket
import struct
import subprocess
import time


class Viewer:
    """The server, until the end of a `with`. `most_memory`: of addresses [bytes]."""

    def __init__(self, program, *arguments, cwd, most_memory=resource.RLIM_INFINITY):
        self.process = subprocess.Popen([program, "view", *map(str, arguments), "--no-open", "--port", "0"], cwd=cwd,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most_memory,) * 2))
        line = self.process.stdout.readline()
        assert line.startswith("Limber's viewer is at http://"), line + self.process.stderr.read()
        self.address = line.split()[-1]
        place, self.key = self.address.split("/?key=")
        self.port = int(place.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.status = self.process.wait(timeout=30)
        finally:
            self.process.kill()
        self.errors = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def with_key(self, path, key="own"):
        """`path` with the key in its query: the viewer's own, another one, or none."""
        key = self.key if key == "own" else key
        return path if key is None or "?key=" in path else f"{path}?key={key}"

    def request(self, path="/", method="GET", host=None, headers="", key="own"):
        """Status, header and body of one request."""
        path = self.with_key(path, key)
        with self.connect() as connection:
            connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: {host or f'127.0.0.1:{self.port}'}\r\n{headers}"
                               "Connection: close\r\n\r\n".encode())
            answer = b""
            while part := connection.recv(1 << 16):
                answer += part
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), head.decode(), body


class Page:
    """A WebSocket as the page opens it. `origin`: "own", None (no such header) or a text."""

    def __init__(self, viewer, origin="own", host=None, path="/ws", viewer_key="own"):
        path = viewer.with_key(path, viewer_key)
        host = host or f"127.0.0.1:{viewer.port}"
        self.socket = viewer.connect()
        origin = f"http://{host}" if origin == "own" else origin
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
                             + (f"Origin: {origin}\r\n" if origin is not None else "") + "\r\n").encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            part = self.socket.recv(1)
            if not part:
                break
            head += part
        self.status = int(head.split()[1])
        self.header = head.decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send_frame(self, opcode, data, final=True):
        mask = os.urandom(4)
        head = bytes([(0x80 if final else 0) | opcode])
        if len(data) < 126:
            head += bytes([0x80 | len(data)])
        elif len(data) < 1 << 16:
            head += bytes([0x80 | 126]) + struct.pack(">H", len(data))
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", len(data))
        pattern = (mask * (len(data) // 4 + 1))[:len(data)]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(pattern, "big")).to_bytes(len(data), "big")
        self.socket.sendall(head + mask + masked)

    def ask(self, do, **more):
        self.send_frame(1, json.dumps({"do": do, **more}).encode())

    def _exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise ConnectionError("the server has closed the connection")
            data += part
        return data

    def receive(self):
        """The next message: an object, or bytes."""
        while True:
            first, second = self._exactly(2)
            length = second & 0x7F
            if length == 126:
                (length,) = struct.unpack(">H", self._exactly(2))
            elif length == 127:
                (length,) = struct.unpack(">Q", self._exactly(8))
            data = self._exactly(length)
            opcode = first & 0x0F
            if opcode == 9:
                self.send_frame(10, data)
            elif opcode == 8:
                raise ConnectionError(f"the server has closed the connection: {data!r}")
            elif opcode in (1, 2):
                return json.loads(data) if opcode == 1 else data

    def until(self, what, seconds=60):
        """The next message of this kind, with `next` sent whenever a tick has come; others are kept in `passed`."""
        end = time.monotonic() + seconds
        self.passed = []
        while time.monotonic() < end:
            message = self.receive()
            if isinstance(message, dict) and message["is"] == what:
                return message
            self.passed.append(message)
            if isinstance(message, dict) and message["is"] == "tick":
                self.ask("next")
        raise TimeoutError(f"no '{what}' within {seconds} s")


class Frame:
    """A binary frame, by the table of docs/view.md."""

    def __init__(self, data):
        assert data[:4] == b"LMBF"
        self.session, self.pane, self.flags = struct.unpack_from("<3I", data, 4)
        self.time, self.steps = struct.unpack_from("<2d", data, 16)
        vertices, arrows = struct.unpack_from("<2I", data, 32)
        self.range = struct.unpack_from("<2f", data, 40)
        self.point, self.to, self.force = (struct.unpack_from("<3f", data, at) for at in (48, 60, 72))
        at = 96
        self.positions = [struct.unpack_from("<3f", data, at + 12 * i) for i in range(vertices)]
        at += 12 * vertices
        self.values = struct.unpack_from(f"<{vertices}f", data, at) if self.flags & 1 else ()
        at += 4 * len(self.values)
        self.arrows = [struct.unpack_from("<6f", data, at + 24 * i) for i in range(arrows)] if self.flags & 2 else []
        at += 24 * len(self.arrows)
        assert at == len(data)


class Topology:
    def __init__(self, data):
        assert data[:4] == b"LMBT"
        self.session, vertices, triangles, lines = struct.unpack_from("<4I", data, 4)
        at = 20
        self.triangles = [struct.unpack_from("<3I", data, at + 12 * i) for i in range(triangles)]
        at += 12 * triangles
        self.lines = [struct.unpack_from("<2I", data, at + 8 * i) for i in range(lines)]
        at += 8 * lines
        self.rest = [struct.unpack_from("<3f", data, at + 12 * i) for i in range(vertices)]
        at += 12 * vertices
        self.flags = data[at:]
        assert len(self.flags) == vertices
