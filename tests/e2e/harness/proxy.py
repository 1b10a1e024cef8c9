"""proxy - things that go wrong between the scheduler and the API server.

CutProxy   passes bytes on and cuts every connection again and again: watches break, and of a
           request that was under way nobody knows whether it was carried out.
FaultProxy ends TLS itself, speaks HTTP/1.1, and for each request asks a rule what to do: pass it
           on, hold it back for a while, answer it with an error, or carry it out and lose the
           answer.
"""
import http.client
import http.server
import json
import random
import select
import socket
import ssl
import threading
import time


class CutProxy:
    """Forwards a port of loopback to another; cut() and, if `every` is given, by itself."""

    def __init__(self, target_port, every=None):
        self.target_port, self.every = target_port, every
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        self.pairs, self.lock, self.cuts = set(), threading.Lock(), 0
        self.stopping = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()
        if every:
            threading.Thread(target=self._clock, daemon=True).start()

    def _accept(self):
        while not self.stopping.is_set():
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near):
        try:
            far = socket.create_connection(("127.0.0.1", self.target_port), 10)
        except OSError:
            near.close()
            return
        pair = (near, far)
        with self.lock:
            self.pairs.add(pair)
        try:
            while True:
                ready, _, _ = select.select(pair, [], [], 60)
                for one in ready:
                    data = one.recv(65536)
                    if not data:
                        return
                    (far if one is near else near).sendall(data)
        except (OSError, ValueError):
            pass
        finally:
            with self.lock:
                self.pairs.discard(pair)
            near.close()
            far.close()

    def cut(self):
        with self.lock:
            pairs = list(self.pairs)
        for pair in pairs:
            for one in pair:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
            self.cuts += 1

    def _clock(self):
        while not self.stopping.wait(self.every):
            self.cut()

    def stop(self):
        self.stopping.set()
        self.listener.close()
        self.every = None
        self.cut()


class FaultProxy:
    """
    `rule(method, path)` gives None (pass on) or a dict: delay (seconds, before it is passed on),
    status and retry_after (answer without asking the server), lose (carry out, then drop the
    connection). It may be exchanged while the proxy runs.
    """

    def __init__(self, plane, rule=None):
        self.rule = rule or (lambda method, path: None)
        self.counts, self.lock = {}, threading.Lock()
        context = ssl.create_default_context(cafile=plane.path("ca.crt"))
        target = plane.port
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 300

            def log_message(self, *_):
                pass

            def handle_one(self):
                proxy.handle(self, target, context)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                """Connections that break are what this is about."""

        self.server = Server(("127.0.0.1", 0), Handler)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(plane.path("server.crt"), plane.path("server.key"))
        tls.set_alpn_protocols(["http/1.1"])
        # The handshake belongs to the connection's thread, or one slow client would stop them all.
        self.server.socket = tls.wrap_socket(self.server.socket, server_side=True,
                                             do_handshake_on_connect=False)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def handle(self, request, target, context):
        length = int(request.headers.get("Content-Length") or 0)
        body = request.rfile.read(length) if length else None
        todo = self.rule(request.command, request.path) or {}
        if todo.get("delay"):
            self.count("delayed")
            time.sleep(todo["delay"])
        if todo.get("status"):
            self.count(todo["status"])
            self.refuse(request, todo["status"], todo.get("retry_after"))
            return
        far = http.client.HTTPSConnection("127.0.0.1", target, context=context, timeout=300)
        try:
            headers = {k: v for k, v in request.headers.items()
                       if k.lower() not in ("host", "connection", "content-length")}
            far.request(request.command, request.path, body, headers)
            answer = far.getresponse()
            if todo.get("lose"):
                answer.read()
                self.count("lost")
                request.close_connection = True
                request.connection.shutdown(socket.SHUT_RDWR)
                return
            self.pass_on(request, answer)
        finally:
            far.close()

    @staticmethod
    def refuse(request, status, retry_after):
        reason = {429: "TooManyRequests", 500: "InternalError", 503: "ServiceUnavailable"}
        text = json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure",
                           "code": status, "reason": reason.get(status, ""),
                           "message": "made up by the test's proxy"})
        request.send_response(status)
        if retry_after is not None:
            request.send_header("Retry-After", str(retry_after))
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(text)))
        request.end_headers()
        request.wfile.write(text.encode())

    @staticmethod
    def pass_on(request, answer):
        request.send_response(answer.status)
        chunked = answer.getheader("Content-Length") is None
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "date", "server"):
                request.send_header(name, value)
        if chunked:
            request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        while True:
            data = answer.read1(65536)
            if not data:
                break
            if chunked:
                data = b"%x\r\n%s\r\n" % (len(data), data)
            request.wfile.write(data)
            request.wfile.flush()
        if chunked:
            request.wfile.write(b"0\r\n\r\n")


def storm(share, seed=1, retry_after=None, statuses=(429, 500), only=None):
    """A rule that refuses a share of the requests (not leases: that is another test)."""
    dice = random.Random(seed)
    lock = threading.Lock()

    def rule(method, path):
        if "/leases" in path or only and not only(method, path):
            return None
        with lock:
            if dice.random() >= share:
                return None
            status = dice.choice(statuses)
        return {"status": status, "retry_after": retry_after if status == 429 else None}
    return rule
