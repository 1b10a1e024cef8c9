"""audit - what the API server's audit log says that the scheduler did."""
from .scheduler import USER


class Binds:
    """done: {pod: [node, ...]} of successful binds; by: {pod: who}; repeated: 409."""

    def __init__(self):
        self.done, self.by, self.repeated, self.refused = {}, {}, 0, 0


def binds(events, namespace):
    found = Binds()
    for event in events:
        what = event.get("objectRef", {})
        if what.get("subresource") != "binding" or what.get("namespace") != namespace:
            continue
        code = event.get("responseStatus", {}).get("code")
        target = (event.get("requestObject") or {}).get("target", {}).get("name")
        if code == 201:
            found.done.setdefault(what["name"], []).append(target)
            found.by[what["name"]] = event.get("user", {}).get("username")
        elif code == 409:
            found.repeated += 1
        else:
            found.refused += 1
    return found


def verb_of(event):
    what = event.get("objectRef") or {}
    resource = what.get("resource", event.get("requestURI", "").split("?")[0])
    if what.get("subresource"):
        resource += "/" + what["subresource"]
    return event["verb"], what.get("apiGroup", ""), resource


def forbidden(events, user=USER):
    return {verb_of(e) for e in events if e.get("user", {}).get("username") == user
            and e.get("responseStatus", {}).get("code") == 403}


def used(events, user=USER):
    """The verbs and resources that the user was allowed and made use of."""
    return {verb_of(e) for e in events if e.get("user", {}).get("username") == user
            and e.get("responseStatus", {}).get("code") != 403}
