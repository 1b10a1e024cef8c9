"""api - the API server as the tests use it: JSON over HTTPS, and watches."""
import http.client
import json
import ssl
import threading
import time
import urllib.parse

GROUPS = "/apis/scheduling.k8s.io/v1beta1"
STRATEGIC = "application/strategic-merge-patch+json"
MERGE = "application/merge-patch+json"


class ApiError(Exception):
    """An answer that is no success."""

    def __init__(self, method, path, status, body):
        try:
            answer = json.loads(body)
        except ValueError:
            answer = {}
        self.status, self.reason = status, answer.get("reason", "")
        self.message = answer.get("message", body[:300])
        super().__init__(f"{method} {path}: {status} {self.reason}: {self.message}")


class Api:
    """One API server and one identity. Threads have connections of their own."""

    def __init__(self, server, token, ca_file):
        self.server, self.token, self.ca_file = server, token, ca_file
        url = urllib.parse.urlsplit(server)
        self.host, self.port = url.hostname, url.port
        self.context = ssl.create_default_context(cafile=ca_file)
        self.local = threading.local()

    def connect(self, timeout):
        return http.client.HTTPSConnection(self.host, self.port, timeout=timeout,
                                           context=self.context)

    def raw(self, method, path, body=None, kind="application/json", timeout=30):
        """(status, text). A connection that was closed meanwhile is opened anew, once."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind}
        data = json.dumps(body) if body is not None and not isinstance(body, str) else body
        for last in (False, True):
            connection = getattr(self.local, "connection", None)
            if connection is None:
                connection = self.local.connection = self.connect(timeout)
            try:
                connection.request(method, path, data, headers)
                answer = connection.getresponse()
                return answer.status, answer.read().decode()
            except (OSError, http.client.HTTPException):
                self.local.connection = None
                connection.close()
                if last:
                    raise

    def call(self, method, path, body=None, **options):
        status, text = self.raw(method, path, body, **options)
        if status >= 300:
            raise ApiError(method, path, status, text)
        return json.loads(text) if text.startswith("{") else text

    def get(self, path):
        return self.call("GET", path)

    def items(self, path):
        return self.get(path).get("items") or []

    def create(self, path, body):
        """Creates; that it is there already counts as done, so that the caller may ask again."""
        try:
            return self.call("POST", path, body)
        except ApiError as error:
            if error.reason == "AlreadyExists":
                return None
            raise

    def patch(self, path, body, kind=MERGE):
        return self.call("PATCH", path, body, kind=kind)

    def delete(self, path, grace=None):
        """True if there was something to delete."""
        body = None if grace is None else {"kind": "DeleteOptions", "apiVersion": "v1",
                                           "gracePeriodSeconds": grace}
        try:
            self.call("DELETE", path, body)
            return True
        except ApiError as error:
            if error.status == 404:
                return False
            raise

    def patiently(self, seconds, function, *arguments, **options):
        """Calls again while the server is away or overloaded: for times when it is made to be."""
        end = time.monotonic() + seconds
        while True:
            try:
                return function(*arguments, **options)
            except (OSError, http.client.HTTPException, ApiError) as error:
                if isinstance(error, ApiError) and error.status not in (429, 500, 503, 504):
                    raise
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def watch(self, path, version, timeout=60):
        """Yields (type, object) from `version` on, until the server ends the watch."""
        connection = self.connect(timeout)
        try:
            mark = "&" if "?" in path else "?"
            connection.request("GET", f"{path}{mark}watch=1&resourceVersion={version}"
                               f"&allowWatchBookmarks=true&timeoutSeconds={timeout - 5}",
                               headers={"Authorization": f"Bearer {self.token}"})
            answer = connection.getresponse()
            if answer.status != 200:
                raise ApiError("WATCH", path, answer.status, answer.read().decode())
            for line in answer:
                event = json.loads(line)
                yield event["type"], event["object"]
        finally:
            connection.close()
