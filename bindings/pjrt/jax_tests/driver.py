"""Runs tests of one file of JAX in this process, for run_tests.py, which starts it with a Python that has JAX.

    driver.py TEST_FILE EVENTS REQUESTS

EVENTS and REQUESTS are file descriptors. The driver writes one JSON object a line: first the names of all tests,
{"collected": [...]}. Then it reads one line, the names to run, and writes {"start": name} and {"end": name, "status":
"passed" | "failed" | "skipped", "message": text, "seconds": s} for each. If the file cannot be loaded it writes
{"error": text}. The process may end at any time, by a crash say; run_tests.py then knows which test was running.
"""
import faulthandler
import importlib.util
import json
import os
import sys
import time
import traceback
import unittest

# Of a traceback: enough to see the cause.
MESSAGE_CHARACTERS = 2000


def name_of(test):
    """FILE.CLASS.TEST. JAX's own id() adds parameters, addresses among them, which differ from process to process."""
    if not isinstance(test, unittest.TestCase):
        return test.id()
    return f"{type(test).__module__}.{type(test).__qualname__}.{getattr(test, '_testMethodName', test.id())}"


class Reporter(unittest.TestResult):
    """Writes an event for each test; a test whose subtests fail has failed."""

    def __init__(self, write):
        super().__init__()
        self._write = write
        self._status = None
        self._reported = set()
        self._fixtures = []  # (name, status, message) of those of classes and modules that did not pass

    def startTest(self, test):
        super().startTest(test)
        self._status, self._message, self._begin = None, "", time.monotonic()
        self._write({"start": name_of(test)})

    def stopTest(self, test):
        super().stopTest(test)
        self._end(test, self._status or "passed", self._message, round(time.monotonic() - self._begin, 3))

    def end_rest(self, tests):
        """Reports tests that did not start, because of the fixture of their class or module."""
        for test in tests:
            if name_of(test) in self._reported:
                continue
            name = f"{type(test).__module__}.{type(test).__qualname__}"
            for fixture, status, message in self._fixtures:
                if name in fixture or fixture.startswith("setUpModule"):
                    self._end(test, status, message, 0)
                    break
            else:
                self._end(test, "failed", "the test did not start", 0)

    def _end(self, test, status, message, seconds):
        self._reported.add(name_of(test))
        self._write({"end": name_of(test), "status": status, "message": message, "seconds": seconds})

    def _set(self, status, message):
        if self._status != "failed":
            self._status, self._message = status, message[-MESSAGE_CHARACTERS:]

    def _fail(self, test, error):
        text = "".join(traceback.format_exception(*error))
        if isinstance(test, unittest.TestCase):
            self._set("failed", text)
        else:
            self._fixtures.append((test.id(), "failed", text[-MESSAGE_CHARACTERS:]))

    def addError(self, test, error):
        super().addError(test, error)
        self._fail(test, error)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._fail(test, error)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self._set("failed", f"{subtest.id()}: " + "".join(traceback.format_exception(*error)))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        if isinstance(test, unittest.TestCase):
            self._set("skipped", reason)
        else:
            self._fixtures.append((test.id(), "skipped", reason))

    def addExpectedFailure(self, test, error):
        super().addExpectedFailure(test, error)
        self._set("passed", "")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._set("failed", "succeeded although it is marked as failing")


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def load(path):
    """The tests of a file, as its own `python FILE` would run them."""
    name = os.path.splitext(os.path.basename(path))[0]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    # Files of JAX read their flags while they load. This one lets them choose tests and types as for CPUs.
    sys.argv = [path, "--jax_test_dut=cpu"]
    spec.loader.exec_module(module)
    return list(flatten(unittest.defaultTestLoader.loadTestsFromModule(module)))


def main():
    path, events, requests = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    faulthandler.enable()
    stream = os.fdopen(events, "w", buffering=1)

    def write(event):
        stream.write(json.dumps(event) + "\n")

    try:
        tests = load(path)
    except BaseException:
        write({"error": traceback.format_exc()[-MESSAGE_CHARACTERS:]})
        return 1
    write({"collected": [name_of(test) for test in tests]})
    wanted = set(json.loads(os.fdopen(requests).readline() or "[]"))
    # A suite runs the fixtures of classes and modules between its tests.
    chosen = [test for test in tests if name_of(test) in wanted]
    reporter = Reporter(write)
    unittest.TestSuite(chosen).run(reporter)
    reporter.end_rest(chosen)
    write({"done": True})
    stream.flush()
    # Without the end of the interpreter, where a thread of a test could hang.
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
