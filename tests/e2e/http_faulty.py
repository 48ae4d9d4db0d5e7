"""An HTTP server that keeps objects in memory. The first part of a path names its fault.

    http_faulty.py PORT_FILE LOG [CERTIFICATE KEY]

It takes a free port and writes its number to PORT_FILE. LOG gets a line for each request: the
number of its connection, method, path, Authorization and session token. /ok/... has no fault."""
import hashlib
import http.server
import itertools
import os
import ssl
import struct
import sys
import threading
import time

objects = {}
overtaken = set()
connections = itertools.count(1)
log = open(sys.argv[2], "a", buffering=1)
HEAD = 200


def blob(stored, says=None):
    return b"%0200d" % (HEAD + len(stored) if says is None else says) + stored


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.connection_number = next(connections)

    def log_message(self, *args):
        pass

    def answer(self, status, body=b"", length=None, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if length != -1:
            self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def s3_error(self, status, code, **headers):
        body = '<?xml version="1.0"?>\n<Error><Code>%s</Code><Message>m</Message></Error>' % code
        self.answer(status, body.encode(), **headers)

    # --- faults: each takes any request ---

    def fault_redirect(self):
        self.answer(302, Location="http://127.0.0.2:1/elsewhere")

    def fault_sameplace(self):
        self.answer(301, Location=self.path.replace("sameplace", "ok"))

    def fault_busy(self):
        self.answer(503, b"later", Retry_After="7")

    def fault_cut(self):
        self.answer(200, blob(b"x" * 100, says=5000), length=5000)
        self.close_connection = True

    def fault_cuthead(self):
        self.answer(200, b"x" * 50, length=5000)
        self.close_connection = True

    def fault_short(self):
        self.answer(200, blob(b"x" * 100, says=5000))

    def fault_long(self):
        self.answer(200, blob(b"x" * 100, says=250))

    def fault_tiny(self):
        self.answer(200, b"12")

    def fault_empty(self):
        self.answer(200)

    def fault_nolength(self):
        self.answer(200, blob(b"hello\n"), length=-1, Connection="close")
        self.close_connection = True

    def fault_endless(self):
        self.answer(200, blob(b"", says=60 << 20), length=-1, Connection="close")
        self.close_connection = True
        for _ in range(4096):
            self.wfile.write(b"x" * 65536)

    def fault_huge(self):
        self.answer(200, blob(b"x"), length=1 << 40)
        self.close_connection = True

    def fault_trickle(self):
        self.answer(200, blob(b"", says=5000), length=5000)
        while True:
            self.wfile.write(b"x")
            time.sleep(0.02)

    def fault_slow(self):
        """Complete, after a second."""
        self.answer(200, blob(b"", says=HEAD + 6), length=HEAD + 6)
        for byte in b"hello\n":
            time.sleep(0.15)
            self.wfile.write(bytes([byte]))

    def fault_slowhead(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            self.wfile.write(b"X-More: x\r\n")
            time.sleep(0.02)

    def fault_hang(self):
        time.sleep(60)

    def fault_garbage(self):
        self.wfile.write(b"+OK this is Redis\r\n" * 10)
        self.close_connection = True

    def fault_close(self):
        self.close_connection = True

    def fault_nocontent(self):
        self.answer(204, length=-1)

    def fault_gzip(self):
        self.answer(200, blob(b"hello\n"), Content_Encoding="gzip")

    def fault_slowdown(self):
        self.s3_error(503, "SlowDown")

    def fault_denied(self):
        self.s3_error(403, "AccessDenied")

    def fault_nobucket(self):
        self.s3_error(404, "NoSuchBucket")

    def fault_expired(self):
        self.s3_error(400, "ExpiredToken")

    def fault_region(self):
        self.s3_error(301, "PermanentRedirect", x_amz_bucket_region="eu-north-1")

    def fault_badcode(self):
        self.s3_error(403, "Access\x1b[31m%s%s" % ("n" * 90, "secret"))

    # --- no fault, or one that a condition has ---

    def fault_credentials(self):
        """What a container's endpoint gives: the file of that name."""
        if self.headers.get("Authorization") == "let me in":
            with open(os.path.join(os.path.dirname(sys.argv[2]), "credentials"), "rb") as f:
                self.answer(200, f.read())
        else:
            self.answer(403)

    def fault_ok(self):
        self.keep()

    def fault_late(self):
        """What is at /ok, after 200 ms."""
        time.sleep(0.2)
        self.path = self.path.replace("late", "ok", 1)
        self.keep()

    def fault_token(self):
        """Only the token in the file of that name lets in."""
        with open(os.path.join(os.path.dirname(sys.argv[2]), "token")) as f:
            right = "Bearer " + f.read().strip()
        if self.headers.get("Authorization") == right:
            self.keep()
        else:
            self.answer(401, WWW_Authenticate="Bearer")

    def fault_overtaken(self):
        """Another writer's list comes before each name's first PUT."""
        if self.command == "PUT" and self.path not in overtaken:
            overtaken.add(self.path)
            objects[self.path] = b"RPRLIST\x01" + struct.pack("<II", 1, 6) + b"theirs"
        self.keep()

    def fault_unconditional(self):
        """If-Match is not implemented."""
        if "If-Match" in self.headers or "If-None-Match" in self.headers:
            self.s3_error(501, "NotImplemented")
        else:
            self.keep()

    def fault_always(self):
        """No condition holds."""
        if "If-Match" in self.headers or "If-None-Match" in self.headers:
            self.answer(412)
        else:
            self.keep()

    def tag(self):
        return '"%s"' % hashlib.md5(objects[self.path]).hexdigest()

    def keep(self):
        there = self.path in objects
        if self.command == "PUT":
            if (there and self.headers.get("If-None-Match") == "*") or (
                "If-Match" in self.headers
                and not (there and self.headers["If-Match"] == self.tag())
            ):
                self.answer(412)
                return
            objects[self.path] = self.body
            self.answer(201)
        elif not there:
            self.answer(404)
        elif self.command == "DELETE":
            del objects[self.path]
            self.answer(204, length=-1)
        else:
            self.answer(200, objects[self.path], ETag=self.tag())

    def any_request(self):
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        log.write("%d %s %s %s %s\n" % (self.connection_number, self.command, self.path,
                                        self.headers.get("Authorization"),
                                        self.headers.get("x-amz-security-token")))
        name = (self.path.split("/") + [""])[1]
        if self.command == "CONNECT":
            self.answer(502)
        elif name.isdigit():
            self.answer(int(name), b"no")
        else:
            getattr(self, "fault_" + name)()

    do_GET = do_PUT = do_HEAD = do_DELETE = do_MKCOL = do_CONNECT = any_request


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, address):
        """A client that hangs up is no news."""


def main():
    server = Server(("127.0.0.1", 0), Handler)
    port = server.server_address[1]
    if len(sys.argv) > 3:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[3], sys.argv[4])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with open(sys.argv[1] + ".new", "w") as f:
        f.write("%d\n" % port)
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    server.serve_forever()


main()
