"""The server: requests, ranges, patience.

A download goes into FILE.part and is given its name when it is whole. What came before a connection broke is kept, and
the rest asked for by an HTTP range, under the condition (If-Range) that the file is still the one that the part is of;
FILE.part.tag has that file's ETag or date. Attempts that bring something new are not counted, so that a large file
comes over a poor connection; the others are, and the wait between them doubles. Where the server says in seconds when
to come again (Retry-After), it is not asked sooner, up to MOST_WAIT_S.

The server may lead elsewhere. What was asked for over https is taken over http from the collection's own file server
alone, which has nothing else: the first checksum of an archive, which all later ones are held against, is made of what
comes."""
import http.client
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request

from .failures import Failed, Refused, Transient, Unreachable, reason_of
from .files import BLOCK, remove, size_of
from .say import Meter, megabytes

MOST_WAIT_S = 60
# Hosts of the collection that speak http only, and that its https address leads to.
PLAIN_HOSTS = {"sparse-files.engr.tamu.edu"}


class Redirects(urllib.request.HTTPRedirectHandler):
    """Goes where the server leads, except from https to what is neither that nor one of PLAIN_HOSTS."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        was, new = (urllib.parse.urlsplit(url) for url in (req.full_url, newurl))
        if was.scheme == "https" and new.scheme != "https" and new.hostname not in PLAIN_HOSTS:
            fp.close()
            raise Refused(f"refused: the server leads from https to {new.scheme}, {newurl}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class Net:
    """The server, and how patient to be with it."""

    def __init__(self, args):
        self.server, self.timeout = args.server.rstrip("/"), args.timeout
        self.retries, self.wait = args.retries, args.wait
        self.opener, self.unreachable = urllib.request.build_opener(Redirects), None

    def url(self, matrix):
        return f"{self.server}/MM/{urllib.parse.quote(matrix)}.tar.gz"

    def open(self, url, headers):
        """The response, whatever its status."""
        request = urllib.request.Request(url, headers={"User-Agent": "warplu-fetch", **headers})
        try:
            return self.opener.open(request, timeout=self.timeout)
        except urllib.error.HTTPError as error:
            return error
        except urllib.error.URLError as error:
            raise Unreachable(reason_of(error.reason)) from error
        except (OSError, http.client.HTTPException) as error:
            raise Transient(f"the connection broke ({reason_of(error)})") from error

    def get(self, url, path, label):
        """Downloads into path, going on with what is there in part. Attempts that bring nothing new are counted."""
        if self.unreachable:
            raise Unreachable(self.unreachable)
        download, tries = Download(self, url, path, label), 0
        most = size_of(download.part)
        while True:
            try:
                return download.attempt()
            except Transient as error:
                size = size_of(download.part)
                tries = 0 if size > most else tries + 1
                most = max(most, size)
                if tries > self.retries:
                    self.give_up(error, download)
                wait_s = max(self.wait * 2 ** max(tries - 1, 0), error.wait_s)
            time.sleep(wait_s)

    def give_up(self, error, download):
        if isinstance(error, Unreachable):
            self.unreachable = str(error)
            raise error
        size = size_of(download.part)
        kept = f"; {megabytes(size)} are kept, run again to go on" if download.resume_headers(size) else "; run again"
        raise Failed(str(error) + kept) from error


class Download:
    """One URL into one file by way of FILE.part, and FILE.part.tag that says of which version the part is."""

    def __init__(self, net, url, path, label):
        self.net, self.url, self.path, self.label = net, url, path, label
        self.part, self.tag = path + ".part", path + ".part.tag"

    def attempt(self):
        have = size_of(self.part)
        headers = self.resume_headers(have)
        with self.net.open(self.url, headers) as response:
            status = response.getcode()
            if status == 416 and headers:
                if self.range_of(response)[1] == have:
                    return self.finish()
                self.forget()
                raise Transient("the server's file is another one now")
            if status not in (200, 206):
                raise self.error(status, response.headers.get("Retry-After", ""))
            if status == 206 and self.range_of(response)[0] != have:
                self.forget()
                raise Transient("the server sent another range than was asked for")
            self.receive(response, have if status == 206 else 0)
        return self.finish()

    def resume_headers(self, have):
        if have == 0 or not os.path.exists(self.tag):
            return {}
        with open(self.tag, encoding="latin-1") as file:
            return {"Range": f"bytes={have}-", "If-Range": file.read()}

    @staticmethod
    def range_of(response):
        """First byte and size of the whole, as Content-Range says."""
        match = re.fullmatch(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)", response.headers.get("Content-Range", ""))
        return [int(text) if text and text != "*" else None for text in (match.groups() if match else (None, None))]

    @staticmethod
    def error(status, after):
        if status in (404, 410):
            return Failed(f"the server has no such file (HTTP {status})")
        text = f"the server answers HTTP {status} {http.client.responses.get(status, '')}".rstrip()
        if status not in (408, 429) and status < 500:
            return Failed(text)
        return Transient(text, min(float(after), MOST_WAIT_S) if after.isdecimal() else 0)

    def receive(self, response, start):
        length = response.headers.get("Content-Length")
        total = start + int(length) if length and length.isdecimal() else None
        with open(self.part, "ab" if start else "wb") as file, Meter(self.label, total, start) as meter:
            if not start:
                self.keep_tag(response.headers)
            for block in self.blocks(response):
                file.write(block)
                file.flush()
                meter.add(len(block))
            os.fsync(file.fileno())
        size = size_of(self.part)
        if total is not None and size != total:
            raise Transient(f"the transfer ended after {size} of {total} bytes")

    @staticmethod
    def blocks(response):
        while True:
            try:
                block = response.read1(BLOCK)
            except (OSError, http.client.HTTPException) as error:
                raise Transient(f"the transfer broke ({reason_of(error)})") from error
            if not block:
                return
            yield block

    def keep_tag(self, headers):
        """A weak ETag does not promise equal bytes, and a range may not depend on it."""
        tag = headers.get("ETag", "")
        tag = tag if tag.startswith('"') else headers.get("Last-Modified", "")
        remove(self.tag)
        if tag:
            with open(self.tag, "w", encoding="latin-1") as file:
                file.write(tag)

    def forget(self):
        remove(self.part)
        remove(self.tag)

    def finish(self):
        os.replace(self.part, self.path)
        remove(self.tag)
