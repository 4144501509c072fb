# The journey of e2e/bridge/python.test.ts: pairs, lists, starts, follows, answers, and loses its connection twice. Prints one
# line of JSON for each step.

import json, os, sys

sys.path.insert(0, os.environ["CLIENT"])
from quarterdeck import BridgeError, Client, Device, pair, canonical_json, request_hash


def say(step, **what):
    print(json.dumps(dict(what, step=step)), flush=True)


with open(os.environ["VECTORS"], encoding="utf-8") as file:
    for vector in json.load(file):
        value = json.loads(vector["json"])
        assert (canonical_json(value), request_hash(value)) == (vector["canonical"], vector["sha256"]), vector

url, link, cwd = os.environ["SERVER"], os.environ["LINK"], os.environ["WORK"]
device = Device.load(pair(link, "py").save())
try:
    pair(link, "again")
except BridgeError as error:
    say("paired twice", code=error.code, status=error.data["status"])
try:
    Client(url, token="nobody.nothing")
except BridgeError as error:
    say("wrong token", code=error.code)

with Client(url, device=device) as client:
    say("connected", role=client.info["device"]["role"], frame=client.info["limits"]["frameBytes"])
    session = client.start(cwd, prompt="touch ü 😀")
    say("listed", ids=[one["id"] == session for one in client.list(project=cwd)])
    asked = None
    for state in client.follow(session):
        if state.requests and asked is None:
            asked = state.requests[0]
            # The network fails before the answer is sent. It is sent again on the next connection.
            client._socket.connection.shutdown(2)
            by = client.respond(state, asked, {"kind": "allow"})["by"]
            say("answered", kind=asked["kind"], by=by["name"], again=client.connections >= 2)
        if asked and state.phase == "idle" and any(row["kind"] == "turn" for row in state.rows):
            break
    kinds = [row["kind"] for row in state.rows if row["kind"] in ("prompt", "text", "tool", "turn")]
    say("done", text=state.text, kinds=kinds, prompt=state.rows[0]["content"])
    try:
        client.respond(state, asked, {"kind": "deny", "message": "Too late."})
    except BridgeError as error:
        say("late", code=error.code)
    try:
        client.prompt(session, "x" * 2_000_000)
    except BridgeError as error:
        say("too long", code=error.code)
    # While nothing is awaited, the connection is lost again. The next call does not notice it.
    client._socket.connection.shutdown(2)
    client.prompt(session, "flood")
    for state in client.follow(session):
        if state.phase == "idle" and sum(row["kind"] == "turn" for row in state.rows) == 2:
            break
    say("long", length=len(state.rows[-2]["text"]), drafts=len(state.drafts), again=client.connections >= 3)
