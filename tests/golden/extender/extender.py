#!/usr/bin/env python3
"""extender.py - a small HTTP extender on loopback, for tests.

The first part of a path chooses how it behaves, the second is the verb: /label/filter lets pass the
nodes whose label (or, by name only, whose name) it likes, /http500/filter fails, and so on. Prints its
port on the first line, then one line per request: path, pod, nodes, without anything that could differ
between two schedulers. With a certificate and a key as arguments it speaks TLS.
"""
import json
import ssl
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SLOW_S = 1.5


def names_of(args):
    if args.get("NodeNames") is not None:
        return args["NodeNames"]
    return [n["metadata"]["name"] for n in (args.get("Nodes") or {}).get("items") or []]


def victims_of(args):
    """UIDs by node, whichever form the request has."""
    if args.get("NodeNameToMetaVictims") is not None:
        return {n: [p["UID"] for p in v["Pods"]] for n, v in args["NodeNameToMetaVictims"].items()}
    return {n: [p["metadata"]["uid"] for p in v["Pods"]]
            for n, v in (args.get("NodeNameToVictims") or {}).items()}


def passed(args, names):
    """The answer's nodes, in the form of the request."""
    if args.get("NodeNames") is not None:
        return {"NodeNames": names}
    items = args["Nodes"]["items"]
    return {"Nodes": {"items": [n for n in items if n["metadata"]["name"] in names]}}


def refuse_all(args, kind):
    answer = {kind: {n: "extender says no to " + n[:1] for n in names_of(args)}}
    answer.update(passed(args, []))
    return answer


def even(args):
    """Odd nodes fail, with words; node n9 has none."""
    names = names_of(args)
    good = [n for n in names if int(n[1:]) % 2 == 0]
    answer = passed(args, good)
    answer["FailedNodes"] = {n: "odd node" for n in names if n not in good and n != "n9"}
    return answer


def busy(args):
    """n4 fails; evicting pods may help."""
    answer = passed(args, [n for n in names_of(args) if n != "n4"])
    answer["FailedNodes"] = {n: "busy" for n in names_of(args) if n == "n4"}
    return answer


def fresh(args):
    """Judges whole objects: the pod's label and the nodes' must agree."""
    want = args["Pod"]["metadata"].get("labels", {}).get("colour", "")
    good = [n["metadata"]["name"] for n in args["Nodes"]["items"]
            if n["metadata"].get("labels", {}).get("colour", "") == want]
    answer = passed(args, good)
    answer["FailedAndUnresolvableNodes"] = {
        n: "wrong colour" for n in names_of(args) if n not in good}
    return answer


FILTERS = {
    "even": even,
    "fresh": fresh,
    "none": lambda a: refuse_all(a, "FailedNodes"),
    "never": lambda a: refuse_all(a, "FailedAndUnresolvableNodes"),
    "silent": lambda a: passed(a, []),
    "error": lambda a: {"Error": "extender is out of order"},
    "stranger": lambda a: {"NodeNames": ["n77"]},
    "unknown": lambda a: dict(refuse_all(a, "FailedNodes"), FailedAndUnresolvableNodes={"n77": "far away"}),
    "swap": busy,
    "keep": busy,
    "nobody": busy,
    "all": lambda a: passed(a, names_of(a)),
}


def meta(victims, violations=0):
    return {"NodeNameToMetaVictims": {
        n: {"Pods": [{"UID": uid} for uid in uids], "NumPDBViolations": violations}
        for n, uids in victims.items()}}


def swap(args):
    """Other victims: a1 in place of a2; and d1, where nobody had to go."""
    others = {"uid-a2": "uid-a1"}
    victims = {n: [others.get(uid, uid) for uid in uids] for n, uids in victims_of(args).items()}
    return meta({n: uids or ["uid-d1"] for n, uids in victims.items()})


def for_vip(args, victims, violations=0):
    """An answer for the pod vip alone."""
    mine = args["Pod"]["metadata"]["name"] == "vip"
    return meta(victims, violations) if mine else meta(victims_of(args))


PREEMPTS = {
    "keep": lambda a: meta(victims_of(a)),
    "even": lambda a: meta({n: v for n, v in victims_of(a).items() if int(n[1:]) % 2 == 0}),
    "swap": swap,
    "move": lambda a: for_vip(a, {"n1": ["uid-a1"]}),
    "two": lambda a: for_vip(a, {"n1": ["uid-a2", "uid-a1", "uid-a2"]}),
    "dear": lambda a: meta(victims_of(a), -1 if a["Pod"]["metadata"]["name"] == "vip" else 1),
    "half": lambda a: meta({n: v[:1] for n, v in victims_of(a).items()}),
    "vip": lambda a: for_vip(a, {"n3": ["uid-c9"]}),
    "far": lambda a: for_vip(a, {"n1": ["uid-t1"]}),
    "ghost": lambda a: meta({n: ["uid-ghost"] for n in victims_of(a)}),
    "nowhere": lambda a: meta({"n77": ["uid-a1"]}),
    "nobody": lambda a: meta({n: [] for n in victims_of(a)}),
    "nothing": lambda a: meta({}),
    "null": lambda a: {},
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"  # a connection per request

    def log_message(self, *args):
        pass

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        args = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        how, verb = self.path.strip("/").split("/")
        if verb == "bind":
            who = args["PodName"], [args["Node"]]
        elif verb == "preempt":
            victims = victims_of(args)
            who = args["Pod"]["metadata"]["name"], [n + ":" + ",".join(victims[n]) for n in sorted(victims)]
        else:
            who = args["Pod"]["metadata"]["name"], sorted(names_of(args))
        sys.stdout.write("%s %s %s\n" % (self.path, who[0], " ".join(who[1])))
        sys.stdout.flush()
        if how == "http500":
            return self.answer(500, b"{}")
        if how == "slow":
            time.sleep(SLOW_S)
        if how == "html":
            return self.answer(200, b"<html>")
        if how == "cut":
            return self.answer(200, b'{"NodeNames": ["n')
        if how == "types":
            return self.answer(200, b'{"NodeNames": "n1"}')
        if how == "empty":
            return self.answer(200, b"")
        if how == "hangup":
            self.close_connection = True
            return self.connection.close()
        if how == "moved":
            self.send_response(307)
            self.send_header("Location", "/even/" + verb)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if verb == "prioritize":
            last = sorted(names_of(args))[-1] if how != "flat" else ""
            result = [{"Host": n, "Score": 10 if n == last else 1} for n in names_of(args)]
        elif verb == "bind":
            result = {"Error": "extender cannot bind"} if how == "error" else {}
        elif verb == "preempt":
            result = PREEMPTS[how](args)
        else:
            result = FILTERS.get(how, FILTERS["all"])(args)
        return self.answer(200, json.dumps(result).encode())


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *args):
        """A client that gave up waiting is no error."""


def main():
    server = Server(("127.0.0.1", 0), Handler)
    if len(sys.argv) == 3:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
