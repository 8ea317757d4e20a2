"""A server of matrices on the loopback interface that misbehaves as it is told, and the archives it has."""
import gzip
import http.server
import io
import random
import re
import tarfile
import threading

BANNER = b"%%MatrixMarket matrix coordinate real general\n"


def matrix(seed, entries=3000):
    """Text of a Matrix Market file that does not compress to nothing."""
    numbers = random.Random(seed)
    lines = [f"{k + 1} {k + 1} {numbers.random()!r}\n" for k in range(entries)]
    return BANNER + f"{entries} {entries} {entries}\n{''.join(lines)}".encode()


def archive(members):
    """A .tar.gz of {path: contents}; in the place of contents may be a prepared member that has none."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for path, contents in members.items():
            info = contents if isinstance(contents, tarfile.TarInfo) else tarfile.TarInfo(path)
            data = contents if isinstance(contents, bytes) else b""
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data) if data else None)
    return made.getvalue()


class Server:
    """files: {path: (contents, ETag or None)}. tell() queues what happens to the next requests of a path: 'whole'
    ignores ranges, 'elsewhere' sends another, a status is answered (302 leads to the same path with a query),
    ('lead', url) leads there, ('later', text) answers 503 and when to come again, ('cut', n) and ('hang', n) send n
    bytes of what is due and no more. Once the queue is empty, the server behaves."""

    def __init__(self):
        self.files, self.told, self.requests = {}, {}, []
        self.released = threading.Event()
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"owner": self}))
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    def put(self, name, contents, tag='"1"'):
        self.files[f"/MM/{name}.tar.gz"] = (contents, tag)

    def tell(self, name, *steps):
        self.told[f"/MM/{name}.tar.gz"] = list(steps)

    def close(self):
        self.released.set()
        self.http.shutdown()
        self.http.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    owner = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.owner.requests.append((self.path, dict(self.headers)))
        path = self.path.split("?")[0]
        steps = self.owner.told.get(path)
        step = steps.pop(0) if steps else None
        kind, text = step if isinstance(step, tuple) else (step, path + "?there")
        if kind in (302, "lead"):
            self.send_empty(302, "Location", text)
        elif kind == "later":
            self.send_empty(503, "Retry-After", text)
        elif isinstance(step, int) or path not in self.owner.files:
            self.send_error(step or 404)
        else:
            self.send_file(*self.owner.files[path], step)

    def send_empty(self, status, header, text):
        self.send_response(status)
        self.send_header(header, text)
        self.end_headers()

    def send_file(self, contents, tag, step):
        start = 0 if step == "whole" else self.first_byte(tag) - (step == "elsewhere")
        if start and start >= len(contents):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(contents)}")
            self.end_headers()
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(contents) - 1}/{len(contents)}")
        if tag:
            self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(contents) - start))
        self.end_headers()
        kind, count = step if isinstance(step, tuple) else ("all", len(contents))
        self.wfile.write(contents[start:start + count])
        self.wfile.flush()
        if kind == "hang":
            self.owner.released.wait(30)

    def first_byte(self, tag):
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        return int(asked[1]) if asked and self.headers.get("If-Range") in (None, tag) else 0


def inflate(contents):
    return gzip.decompress(contents)
