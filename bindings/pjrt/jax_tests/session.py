"""One file of tests in processes of its own: what crashes or hangs is recorded, and the rest goes on in a new process."""
import json
import os
import select
import signal
import subprocess
import time

DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "driver.py")
# What a process may take to load a file of tests.
LOAD_SECONDS = 300
# Of the log of a process that crashed or hung.
LOG_CHARACTERS = 3000


class Session:
    """A driver process and its stream of events."""

    def __init__(self, python, path, environment, log_path):
        event_read, event_write = os.pipe()
        request_read, request_write = os.pipe()
        self._log_path = log_path
        self._log = open(log_path, "wb")
        command = [python, DRIVER, path, str(event_write), str(request_read)]
        self._process = subprocess.Popen(command, env=environment, pass_fds=(event_write, request_read),
                                         stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT,
                                         start_new_session=True)  # yapf: disable
        os.close(event_write)
        os.close(request_read)
        self._events, self._requests = event_read, request_write
        self._buffer = b""

    def request(self, names):
        with os.fdopen(self._requests, "w") as stream:
            stream.write(json.dumps(names) + "\n")
        self._requests = None

    def next_event(self, limit):
        """The next event; None at the end of the process; TimeoutError after `limit` seconds."""
        deadline = time.monotonic() + limit
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._events], [], [], left)[0]:
                raise TimeoutError
            piece = os.read(self._events, 1 << 16)
            if not piece:
                return None
            self._buffer += piece
        line, self._buffer = self._buffer.split(b"\n", 1)
        return json.loads(line)

    def end(self):
        """Ends the process and what it started. Returns what it died of, and the end of its log."""
        try:
            # SIGABRT makes faulthandler write where the threads are. A process that ends by itself is not disturbed.
            for sign, patience in ((None, 2), (signal.SIGABRT, 10), (signal.SIGKILL, 10)):
                if sign is not None:
                    os.killpg(self._process.pid, sign)
                try:
                    self._process.wait(patience)
                    break
                except subprocess.TimeoutExpired:
                    continue
        except ProcessLookupError:
            self._process.wait()
        for descriptor in (self._events, self._requests):
            if descriptor is not None:
                os.close(descriptor)
        self._log.close()
        with open(self._log_path, "rb") as log:
            text = log.read().decode("utf-8", "replace")
        code = self._process.returncode
        reason = signal.Signals(-code).name if code is not None and code < 0 else f"exit status {code}"
        return reason, text[-LOG_CHARACTERS:]


class FileRun:
    """Runs the tests of one file that `choose` picks among those collected.

    start(log_path) starts a Session. Calls record(name, status, seconds, message) for each test; status is passed,
    failed, skipped, crashed or hung. What concerns the whole file is recorded under the name "".
    """

    def __init__(self, start, choose, limit, record):
        self._start, self._choose, self._limit, self._record = start, choose, limit, record
        self._left = None

    def run(self, log_path):
        while self._left is None or self._left:
            before = None if self._left is None else len(self._left)
            session = self._start(log_path)
            try:
                failure = self._follow(session)
            finally:
                reason, log = session.end()
            if failure is not None:
                name, status, seconds = failure
                self._finish(name, status, seconds, f"{reason}\n{log}")
            if self._left is None:
                return  # The file does not load.
            if len(self._left) == before:
                for name in list(self._left):  # Another process would not get further.
                    self._finish(name, "failed", 0, "the process ends before the test starts")

    def _follow(self, session):
        """Until the process ends. Returns (name, status, seconds) of the test that ended it, if one did."""
        running, begin, limit = "", time.monotonic(), LOAD_SECONDS
        while True:
            try:
                event = session.next_event(limit)
            except TimeoutError:
                return running, "hung", round(time.monotonic() - begin, 3)
            if event is None:
                return running, "crashed", round(time.monotonic() - begin, 3)
            if "collected" in event:
                if self._left is None:
                    self._left = list(self._choose(event["collected"]))
                session.request(self._left)
                if not self._left:
                    return None
            elif "start" in event:
                running, begin, limit = event["start"], time.monotonic(), self._limit
            elif "end" in event:
                self._finish(event["end"], event["status"], event["seconds"], event["message"])
                running, begin, limit = "", time.monotonic(), LOAD_SECONDS
            elif "error" in event:
                self._record("", "failed", 0, event["error"])
                if self._left is None:
                    return None
            elif "done" in event:
                self._left = []
                return None

    def _finish(self, name, status, seconds, message):
        self._record(name, status, seconds, message)
        if self._left and name in self._left:
            self._left.remove(name)
