#!/usr/bin/env python3
"""apiserver.py - lists of a cluster's objects over plain HTTP, as kube-apiserver answers them.

    apiserver.py LIST.json      prints its port, serves until killed

What is odd is chosen by the prefix of the server's address, so that one server does for all checks:
    /paged      two objects a page, whatever the limit
    /expiring   the same; the first continuation of pods has expired
    /old        groups in v1alpha3 only
    /plain      no groups at all
    /denied     nodes are forbidden
    /guest      groups and priority classes are forbidden
    /busy       every first question is answered with 503
    /html       no API server at all
"""
import http.server
import json
import sys
import urllib.parse

RESOURCES = {
    "Node": "/api/v1/nodes", "Namespace": "/api/v1/namespaces", "Pod": "/api/v1/pods",
    "Service": "/api/v1/services", "ReplicaSet": "/apis/apps/v1/replicasets",
    "PriorityClass": "/apis/scheduling.k8s.io/v1/priorityclasses",
    "PodGroup": "/apis/scheduling.k8s.io/v1beta1/podgroups",
}
GROUPS = "/apis/scheduling.k8s.io/"
expired = False
asked = set()


def status(code, reason, message):
    return code, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
                  "reason": reason, "message": message}


def answer(objects, prefix, path, query):
    global expired
    name = path.rsplit("/", 1)[1]
    groups = path.startswith(GROUPS) and name != "priorityclasses"
    if prefix == "old":
        if groups and "/v1alpha3/podgroups" not in path:
            return status(404, "NotFound", "the server could not find the requested resource")
        path = path.replace("/v1alpha3/", "/v1beta1/")
    if (prefix == "plain" and groups) or name == "compositepodgroups":
        return status(404, "NotFound", "the server could not find the requested resource")
    if (prefix == "denied" and name == "nodes") or (prefix == "guest" and path.startswith(GROUPS)):
        return status(403, "Forbidden", name + ' is forbidden: User "bob" cannot list it')
    if prefix == "busy" and path not in asked:
        asked.add(path)
        return status(503, "ServiceUnavailable", "not now")
    start = int(query.get("continue", ["0"])[0])
    if prefix == "expiring" and name == "pods" and start and not expired:
        expired = True
        return status(410, "Expired", "The provided continue parameter is too old")
    items = objects.get(path, [])
    size = 2 if prefix in ("paged", "expiring") else int(query["limit"][0])
    page = {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1000"},
            "items": items[start:start + size]}
    for kind, where in RESOURCES.items():
        if where == path:
            page["kind"] = kind + "List"
            page["apiVersion"] = "/".join(path.split("/")[2:-1])
    if prefix == "old" and groups:
        page["apiVersion"] = "scheduling.k8s.io/v1alpha3"
    if start + size < len(items):
        page["metadata"]["continue"] = str(start + size)
    return 200, page


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    objects = {}

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        prefix, path = "", url.path
        if not path.startswith("/api"):
            prefix, _, rest = path[1:].partition("/")
            path = "/" + rest
        if prefix == "html":
            code, body = 200, b"<html>hello</html>"
        else:
            code, value = answer(self.objects, prefix, path, urllib.parse.parse_qs(url.query))
            body = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        pass  # clients that have heard enough hang up


def main():
    for item in json.load(open(sys.argv[1]))["items"]:
        path = RESOURCES[item.pop("kind")]
        item.pop("apiVersion")
        Handler.objects.setdefault(path, []).append(item)
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


main()
