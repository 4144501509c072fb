"""A client of the Quarterdeck bridge, in one file, with Python's standard library only (3.9 or newer).

It was written from docs/bridge.md alone: if the two differ, the document or this file has a bug.

    with Client("http://127.0.0.1:7433", token="...") as client:
        session = client.start("/home/me/app", prompt="Run the tests.")
        for session in client.follow(session):
            for request in session.requests: client.respond(session, request, {"kind": "allow"})
            if session.phase == "idle": break
"""

import base64, hashlib, json, math, os, secrets, socket, ssl, struct, time, uuid
from decimal import Decimal
from urllib.parse import urlsplit

__all__ = ["BridgeError", "Client", "Device", "Session", "canonical_json", "pair", "request_hash"]
BRIDGE = 1
FIRST_FRAME_BYTES = 4096


class BridgeError(Exception):
    """A refused call (`code` is `data.code` of the answer), a refused upgrade, or a close that forbids a reconnect."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.code, self.data = code, data or {}


class Lost(Exception):
    """The connection is gone. The client connects again."""


# Canonical JSON (RFC 8785), for the hash of a request.


def canonical_json(value):
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, (int, float)):
        return _number(float(value))
    if isinstance(value, list):
        return "[" + ",".join(map(canonical_json, value)) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(_string(key) + ":" + canonical_json(value[key]) for key in keys) + "}"


def request_hash(request):
    return hashlib.sha256(canonical_json(request).encode("utf-8")).hexdigest()


def _string(text):
    written = json.dumps(text, ensure_ascii=False)
    return "".join("\\u%04x" % ord(c) if 0xD800 <= ord(c) <= 0xDFFF else c for c in written)


def _number(number):
    """As JavaScript writes it: the shortest digits, an exponent only below 1e-6 and from 1e21 on."""
    if number == 0 or not math.isfinite(number):
        return "0" if number == 0 else "null"
    sign, digits, exponent = Decimal(repr(number)).as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    shorter = text.rstrip("0") or "0"
    exponent += len(text) - len(shorter)
    point = len(shorter) + exponent
    if 0 < point <= 21:
        whole = shorter + "0" * (point - len(shorter)) if point >= len(shorter) else shorter[:point] + "." + shorter[point:]
    elif -6 < point <= 0:
        whole = "0." + "0" * -point + shorter
    else:
        mantissa = shorter[0] + ("." + shorter[1:] if len(shorter) > 1 else "")
        whole = "%se%s%d" % (mantissa, "+" if point > 0 else "-", abs(point - 1))
    return ("-" if sign else "") + whole


# A device key: ECDSA over P-256. The standard library has no elliptic curves. This code is plain and not hardened against
# side channels; a program that has another library should use that.

_P = 2**256 - 2**224 + 2**192 + 2**96 - 1
_N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
_SPKI = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200")


def _add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0]:
        if (a[1] + b[1]) % _P == 0:
            return None
        slope = 3 * (a[0] * a[0] - 1) * pow(2 * a[1], -1, _P)
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, _P)
    x = (slope * slope - a[0] - b[0]) % _P
    return x, (slope * (a[0] - x) - a[1]) % _P


def _times(scalar, point=_G):
    result = None
    while scalar:
        if scalar & 1:
            result = _add(result, point)
        point, scalar = _add(point, point), scalar >> 1
    return result


def _base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


class Device:
    """A paired device: its id and its private key. Keep `save()` in a file that only its owner can read."""

    def __init__(self, origin, key=None, id=""):
        self.origin, self.key, self.id = origin, key or secrets.randbelow(_N - 1) + 1, id

    @property
    def public_key(self):
        x, y = _times(self.key)
        return _base64url(_SPKI + b"\x04" + x.to_bytes(32, "big") + y.to_bytes(32, "big"))

    def sign(self, text):
        digest = int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest(), "big")
        while True:
            nonce = secrets.randbelow(_N - 1) + 1
            r = _times(nonce)[0] % _N
            s = pow(nonce, -1, _N) * (digest + r * self.key) % _N
            if r and s:
                return _base64url(r.to_bytes(32, "big") + s.to_bytes(32, "big"))

    def save(self):
        return json.dumps({"origin": self.origin, "id": self.id, "key": "%064x" % self.key})

    @staticmethod
    def load(text):
        saved = json.loads(text)
        return Device(saved["origin"], int(saved["key"], 16), saved["id"])


def pair(link, name):
    """Redeems a pairing link (`https://host/#pair=CODE`), which works once. Returns the device."""
    parts = urlsplit(link)
    device = Device("%s://%s" % (parts.scheme, parts.netloc))
    code = parts.fragment[len("pair=") :] if parts.fragment.startswith("pair=") else ""
    body = json.dumps({"code": code, "name": name, "publicKey": device.public_key}).encode("utf-8")
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"}
    with _open(device.origin) as connection:
        status, _, data = _http(connection, "POST", "/pair", device.origin, dict(headers, Origin=device.origin), body, True)
    if status != 200:
        raise _http_error(status, data)
    device.id = json.loads(data)["device"]["id"]
    return device


# HTTP and WebSocket (RFC 6455), as much as the bridge needs.


def _open(url, timeout=30):
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    connection = socket.create_connection((parts.hostname, port), timeout)
    if parts.scheme == "https":
        return ssl.create_default_context().wrap_socket(connection, server_hostname=parts.hostname)
    return connection


def _http(connection, method, path, url, headers, body=b"", whole=False):
    lines = ["%s %s HTTP/1.1" % (method, path), "Host: " + urlsplit(url).netloc]
    lines += ["%s: %s" % field for field in headers.items()]
    connection.sendall("\r\n".join(lines + ["", ""]).encode("ascii") + body)
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = connection.recv(65536)
        if not chunk:
            raise Lost("The server closed the connection.")
        data += chunk
    head, rest = data.split(b"\r\n\r\n", 1)
    status = int(head.split(b" ", 2)[1])
    while whole or status != 101:
        chunk = connection.recv(65536)
        if not chunk:
            break
        rest += chunk
    return status, head, rest


def _http_error(status, data):
    try:
        error = json.loads(data)["error"]
        return BridgeError(error["code"], error["message"], {"status": status})
    except (ValueError, KeyError, TypeError):
        return BridgeError("internal", "The server answered with status %d." % status, {"status": status})


class _Socket:
    def __init__(self, url, headers):
        self.connection = _open(url)
        key = base64.b64encode(os.urandom(16)).decode("ascii")
        fields = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key}
        status, head, self.data = _http(self.connection, "GET", "/bridge", url, dict(fields, **headers))
        if status != 101:
            self.connection.close()
            raise _http_error(status, self.data)
        # Pings come every five seconds, so a longer silence means that the network is gone.
        self.connection.settimeout(20)

    def _take(self, count):
        while len(self.data) < count:
            chunk = self.connection.recv(max(65536, count - len(self.data)))
            if not chunk:
                raise Lost("The server closed the connection.")
            self.data += chunk
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def _frame(self):
        first, second = self._take(2)
        length = second & 127
        if length >= 126:
            length = struct.unpack("!H" if length == 126 else "!Q", self._take(2 if length == 126 else 8))[0]
        return first & 128, first & 15, self._take(length)

    def read(self):
        """The next text. A close is (code, reason)."""
        parts = []
        while True:
            final, kind, data = self._frame()
            if kind == 9:
                self._send(10, data)
            elif kind == 8:
                return None, (struct.unpack("!H", data[:2])[0] if len(data) >= 2 else 1005, data[2:].decode("utf-8", "replace"))
            elif kind != 10:
                parts.append(data)
                if final:
                    return b"".join(parts).decode("utf-8"), None

    def _send(self, kind, data):
        size = len(data)
        length = bytes([128 | size]) if size < 126 else struct.pack("!BH", 254, size) if size < 65536 else struct.pack("!BQ", 255, size)
        mask = os.urandom(4)
        masked = (int.from_bytes(data, "big") ^ int.from_bytes((mask * (size // 4 + 1))[:size], "big")).to_bytes(size, "big")
        self.connection.sendall(bytes([128 | kind]) + length + mask + masked)

    def send(self, text):
        self._send(1, text.encode("utf-8"))

    def close(self):
        try:
            self._send(8, struct.pack("!H", 1000))
        except OSError:
            pass
        self.connection.close()


class Session:
    """What the server says about one session: `head`, `rows` in order, `drafts` by id."""

    def __init__(self, id):
        self.id, self.head, self.cursor, self.drafts = id, {}, None, {}
        self._rows, self._units, self._acked = {}, 0, 0

    @property
    def rows(self):
        return sorted(self._rows.values(), key=lambda row: row["order"])

    @property
    def phase(self):
        return self.head.get("phase", "starting")

    @property
    def requests(self):
        """Requests that wait for a person."""
        return [one for one in self.head.get("requests", []) if one["kind"] not in ("hook", "mcp")]

    @property
    def text(self):
        return "\n".join(row["text"] for row in self.rows if row["kind"] == "text" and "parent" not in row)

    def _apply(self, frame):
        if frame.get("status") == "reset":
            self._rows, self.head, self.drafts = {}, {}, {}
        if "status" in frame:
            self.drafts = {}
        self.cursor = frame.get("cursor", self.cursor)
        for row in frame.get("rows", []):
            self.drafts.pop(row["id"], None)
            if row["rev"] >= self._rows.get(row["id"], {"rev": -1})["rev"]:
                self._rows[row["id"]] = row
        for id in frame.get("removed", []):
            self._rows.pop(id, None)
        self.head.update(frame.get("head", {}))
        for name in frame.get("unset", []):
            self.head.pop(name, None)
        for id in frame.get("ended", []):
            self.drafts.pop(id, None)
        return all([self._grow(piece) for piece in frame.get("drafts", [])])

    def _grow(self, piece):
        """`from` counts UTF-16 units. False if something before this piece is missing."""
        known = self.drafts.get(piece["id"], {})
        before, start = known.get("text", "").encode("utf-16-le", "surrogatepass"), 2 * piece["from"]
        if start > len(before):
            return False
        text = before[:start] + piece["text"].encode("utf-16-le", "surrogatepass")
        self.drafts[piece["id"]] = dict(known, **dict(piece, text=text.decode("utf-16-le", "surrogatepass")))
        return True


class Client:
    """One connection, used from one thread. Calls and `follow` connect again when the network fails."""

    def __init__(self, url, token=None, device=None, name="python", patience=60):
        self.url, self.token, self.device, self.name, self.patience = url.rstrip("/"), token, device, name, patience
        self.info, self.sessions, self.connections = None, {}, 0
        self._socket, self._last, self._changed, self._stale = None, 0, [], set()
        self._connect()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self._socket:
            self._socket.close()
        self._socket = None

    # Calls.

    def call(self, method, **params):
        """Calls a method. After a lost connection it is sent again: a command has an id and runs once."""
        self._last += 1
        id, sent_on = self._last, None
        text = json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        if len(text.encode("utf-8")) > self.info["limits"]["frameBytes"]:
            raise BridgeError("too-large", "This call is longer than the server reads. Use a ticket for large data.")
        while True:
            try:
                if sent_on is not self._socket or self._socket is None:
                    self._ready()
                    sent_on = self._socket
                    sent_on.send(text)
                message = self._next()
                if message.get("id") == id:
                    return _result(message)
            except (Lost, OSError):
                self._drop()

    def command(self, method, **params):
        return self.call(method, commandId=params.pop("commandId", str(uuid.uuid4())), **params)

    def list(self, **params):
        return self.call("sessions/list", **params)["sessions"]

    def start(self, cwd, prompt=None, **more):
        if prompt is not None:
            more["prompt"] = prompt
        return self.command("sessions/start", cwd=cwd, **more)["session"]["id"]

    def prompt(self, session, content, **more):
        return self.command("session/prompt", session=_id(session), content=content, **more)["uuid"]

    def respond(self, session, request, answer):
        """Answers an open request as it was shown: `{"kind": "allow"}`, `{"kind": "deny", "message": "..."}`, ..."""
        binding = {"incarnation": request["incarnation"], "inputHash": request_hash(request["request"])}
        return self.command("session/respond", session=_id(session), requestId=request["id"], answer=answer, **binding)

    # Following.

    def subscribe(self, session):
        """Follows a session and returns its state, which calls and `follow` keep current."""
        kept = self.sessions.setdefault(_id(session), Session(_id(session)))
        cursor = {} if kept.cursor is None else {"cursor": kept.cursor}
        kept._apply(self.call("session/subscribe", session=kept.id, **cursor))
        kept._units = kept._acked = 0
        return kept

    def follow(self, session):
        """Yields the state of a session: first as it is, then after each change, also across reconnects."""
        kept = self.subscribe(session)
        yield kept
        while True:
            self._changed = [id for id in self._changed if id != kept.id]
            while kept.id not in self._changed:
                try:
                    self._ready()
                    self._next()
                except (Lost, OSError):
                    self._drop()
            yield kept

    # The connection.

    def _next(self):
        text, closed = self._socket.read()
        if closed:
            code, reason = closed
            if code in (1009, 4001, 4003):
                self._drop()
                names = {1009: "too-large", 4001: "unauthenticated", 4003: "unauthenticated"}
                raise BridgeError(names[code], reason or "The server closed the connection.", {"close": code})
            raise Lost(reason)
        message = json.loads(text)
        params = message.get("params", {})
        kept = self.sessions.get(params.get("session"))
        if kept is None or message.get("method") not in ("session/changed", "session/draft"):
            return message
        kept._units += len(text.encode("utf-16-le")) // 2
        if params.get("reset") or not kept._apply(params):
            kept.cursor = None
            self._stale.add(kept.id)
        elif kept._units - kept._acked > 65536:
            kept._acked = kept._units
            ack = {"session": kept.id, "cursor": kept.cursor, "bytes": kept._units}
            self._socket.send(json.dumps({"jsonrpc": "2.0", "method": "session/ack", "params": ack}))
        self._changed.append(kept.id)
        return message

    def _drop(self):
        if self._socket:
            self._socket.connection.close()
        self._socket = None

    def _ready(self):
        """Connects if necessary, and follows again what was followed."""
        while self._socket is None or self._stale:
            try:
                if self._socket is None:
                    self._connect()
                    self._stale = set(self.sessions)
                for id in list(self._stale):
                    kept = self.sessions[id]
                    cursor = {} if kept.cursor is None else {"cursor": kept.cursor}
                    kept._apply(self._ask("session/subscribe", dict(cursor, session=id)))
                    kept._units = kept._acked = 0
                    self._stale.discard(id)
                    self._changed.append(id)
            except (Lost, OSError):
                self._drop()

    def _ask(self, method, params):
        self._last += 1
        id = self._last
        self._socket.send(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
        while True:
            message = self._next()
            if message.get("id") == id:
                return _result(message)

    def _connect(self):
        """At once, then after longer and longer pauses, as long as `patience` says."""
        pause, until = 0, time.monotonic() + self.patience
        while True:
            time.sleep(pause)
            try:
                return self._initialize()
            except BridgeError as error:
                self._drop()
                if error.data.get("status") not in (429, 503) or time.monotonic() > until:
                    raise
            except (Lost, OSError) as error:
                self._drop()
                if time.monotonic() > until:
                    raise BridgeError("timeout", "The server cannot be reached: %s" % error)
            pause = min(10, 2 * pause or 0.25)

    def _initialize(self):
        headers = {"Origin": self.device.origin} if self.device else {"Authorization": "Bearer %s" % self.token}
        self._socket = _Socket(self.url, headers)
        challenge = self._next()["params"]
        params = {"bridge": BRIDGE, "client": {"name": self.name, "version": "1"}}
        if self.device:
            lines = ["quarterdeck-bridge-1", challenge["serverId"], self.device.origin, challenge["nonce"]]
            params["device"] = {"id": self.device.id, "signature": self.device.sign("\n".join(lines))}
        self.info = self._ask("initialize", params)
        self.connections += 1


def _id(session):
    return session if isinstance(session, str) else session.id


def _result(message):
    if "error" in message:
        error = message["error"]
        data = error.get("data", {})
        raise BridgeError(data.get("code", "internal"), error["message"], data)
    return message["result"]
