"""A source on loopback whose content, clock and faults a scenario controls."""

import datetime
import email.utils
import http.server
import json
import threading
import time
import urllib.parse

SECONDS_FORM = "%Y-%m-%dT%H:%M:%SZ"


class Clock:
    """The time of the server, which passes only when a scenario says so."""

    def __init__(self, skew=0):
        self.seconds = int(time.time()) + skew

    def pass_by(self, seconds):
        self.seconds += seconds

    def text(self, seconds=0, form=SECONDS_FORM):
        moment = datetime.datetime.fromtimestamp(self.seconds + seconds, datetime.timezone.utc)
        return moment.strftime(form)

    def http(self, seconds=0):
        return email.utils.formatdate(self.seconds + seconds, usegmt=True)


class Request:
    """A request as a scenario reads it. `number` counts the requests of the present command from 1."""

    def __init__(self, handler, number):
        url = urllib.parse.urlsplit(handler.path)
        self.method, self.target, self.path, self.number = handler.command, handler.path, url.path, number
        self.query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        self.fields = {name.lower(): value for name, value in handler.headers.items()}
        self.host = handler.server.address
        self.status = None

    def integer(self, name, otherwise):
        return int(self.query.get(name) or otherwise)


class Answer:
    """A response. `cut` sends that many bytes less than announced; `date=None` leaves the field out."""

    def __init__(self, body=b"", status=200, fields=(), date="now", cut=0):
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode("utf-8", "surrogatepass")
        self.status, self.date, self.cut = status, date, cut
        self.fields = list(fields.items() if isinstance(fields, dict) else fields)

    def field(self, name):
        return next((value for key, value in self.fields if key.lower() == name.lower()), None)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, world, app):
        super().__init__(("127.0.0.1", 0), Handler)
        self.world, self.app = world, app
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def handle_error(self, *_):
        """Ignores clients that were killed."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        answer = self.server.world.answer(self, self.server)
        # A status that has no body may not announce one.
        body = b"" if answer.status in (204, 304) else answer.body
        self.send_response_only(answer.status)
        if answer.date:
            self.send_header("Date", self.server.world.clock.http() if answer.date == "now" else answer.date)
        if not answer.field("Content-Type"):
            self.send_header("Content-Type", "application/json")
        for name, value in answer.fields:
            self.send_header(name, value)
        if answer.status not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) - answer.cut])
        if answer.cut:
            self.close_connection = True
        self.wfile.flush()
        self.server.world.sent(self)

    do_POST = do_GET


class World:
    """Servers with one clock and one log of requests. Hooks run at the n-th request of a command."""

    def __init__(self, skew=0):
        self.clock, self.lock, self.servers = Clock(skew), threading.RLock(), []
        self.log, self.before, self.after, self.faults = [], {}, {}, {}
        self.first = 0

    def serve(self, app):
        server = Server(self, app)
        self.servers.append(server)
        return server.address

    def begin(self):
        """Numbers requests from 1 again, for the next command."""
        with self.lock:
            self.first = len(self.log)

    def end(self):
        """Forgets the hooks and faults of a command."""
        with self.lock:
            self.before, self.after, self.faults = {}, {}, {}

    @property
    def requests(self):
        """The requests of the last command."""
        return self.log[self.first:]

    def answer(self, handler, server):
        with self.lock:
            request = Request(handler, len(self.log) - self.first + 1)
            request.server, handler.request_number = server, request.number
            self.log.append(request)
            for hook in self.before.get(request.number, []) + self.before.get("each", []):
                hook()
            fault = self.faults.get(request.number) or self.faults.get("each")
            answer = fault(request) if callable(fault) else fault
            answer = answer or server.app(request)
            answer = answer if isinstance(answer, Answer) else Answer(answer)
            request.status = answer.status
            return answer

    def sent(self, handler):
        with self.lock:
            for hook in self.after.get(handler.request_number, []):
                hook()

    def close(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()


def conditional(answer, request, tag=None, modified=None):
    """Adds validators to an answer, and turns it into a 304 if the request names them."""
    fields = [("ETag", tag)] if tag is not None else []
    if modified is not None:
        fields.append(("Last-Modified", modified))
    answer.fields += fields
    asked = request.fields.get("if-none-match")
    if asked is not None:
        is_same = tag is not None and tag.removeprefix("W/") in (word.strip().removeprefix("W/") for word in
                                                                  asked.split(","))
    else:
        since = request.fields.get("if-modified-since")
        is_same = bool(since and modified) and (
            email.utils.parsedate_to_datetime(modified) <= email.utils.parsedate_to_datetime(since))
    return Answer(b"", 304, fields) if is_same else answer
