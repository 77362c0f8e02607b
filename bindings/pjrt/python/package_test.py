"""Tests of the package jax_plugins/halo that need neither JAX nor NumPy."""
import ctypes
import logging
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import jax_plugins.halo as halo  # noqa: E402  (beside this file)
from jax_plugins.halo import callbacks, compatibility, effects, ffi, lowerings  # noqa: E402


class Primitive:

    def __init__(self, name):
        self.name = name


class InitializeTest(unittest.TestCase):

    def test_warns_of_a_missing_library(self):
        os.environ["HALO_PJRT_LIBRARY"] = "/nowhere/plugin.so"
        self.addCleanup(os.environ.pop, "HALO_PJRT_LIBRARY")
        with self.assertLogs("jax_plugins.halo", logging.WARNING) as logs:
            halo.initialize()
        self.assertEqual(logs.records[0].getMessage(),
                         "halo: there is no /nowhere/plugin.so; install the wheel again, or set HALO_PJRT_LIBRARY")

    def test_does_not_raise_where_jax_lacks_everything(self):
        with tempfile.NamedTemporaryFile() as library:
            os.environ["HALO_PJRT_LIBRARY"] = library.name
            self.addCleanup(os.environ.pop, "HALO_PJRT_LIBRARY")
            self.addCleanup(sys.modules.pop, "jax", None)
            sys.modules["jax"] = None  # Importing it raises ImportError.
            with self.assertLogs("jax_plugins.halo", logging.WARNING) as logs:
                halo.initialize()
        self.assertRegex(logs.records[-1].getMessage(), "the platform halo will not work with JAX of unknown version")


class CompatibilityTest(unittest.TestCase):

    def test_guarded_reports_an_exception_once(self):
        with self.assertLogs("jax_plugins.halo", logging.WARNING) as logs:
            for _ in range(2):
                with compatibility.guarded("a test"):
                    raise AttributeError("no attribute x")
        self.assertEqual(len(logs.records), 1)
        self.assertRegex(logs.records[0].getMessage(), "^halo: a test will not work .* AttributeError: no attribute x$")


class RulesOfCpuTest(unittest.TestCase):

    def setUp(self):
        self.own, self.eigh, self.dot, self.late = map(Primitive, ("own", "eigh", "dot_general", "spsolve"))
        self.cpu = {self.eigh: "cpu rule", self.dot: "rule for XLA's CPU"}
        self.rules = lowerings.RulesOfCpu({self.own: "own rule"}, self.cpu)

    def test_falls_back_for_listed_primitives_only(self):
        self.assertEqual([p in self.rules for p in (self.own, self.eigh, self.dot)], [True, True, False])
        self.assertEqual((self.rules[self.own], self.rules[self.eigh]), ("own rule", "cpu rule"))
        self.assertEqual((self.rules.get(self.eigh), self.rules.get(self.dot, "none")), ("cpu rule", "none"))
        with self.assertRaises(KeyError):
            self.rules[self.dot]

    def test_own_rules_come_first(self):
        self.rules[self.eigh] = "own rule of eigh"
        self.assertEqual(self.rules[self.eigh], "own rule of eigh")

    def test_finds_rules_that_are_registered_later(self):
        self.assertNotIn(self.late, self.rules)
        self.cpu[self.late] = "late rule"
        self.assertEqual(self.rules[self.late], "late rule")


class Token:

    def __init__(self, failure=None):
        self.failure, self.waits = failure, 0

    def block_until_ready(self):
        self.waits += 1
        if self.failure is not None:
            raise self.failure


class TokenSet:
    """As JAX's RuntimeTokenSet."""

    def __init__(self, current, output):
        self.current_tokens, self.output_runtime_tokens = dict(enumerate(current)), dict(enumerate(output))

    def clear(self):
        self.current_tokens, self.output_runtime_tokens = {}, {}

    def block_until_ready(self):
        raise AssertionError("was not replaced")


class BarrierTest(unittest.TestCase):

    def test_waits_for_all_and_reports_a_failure_once(self):

        class Tokens(TokenSet):
            pass

        failed, later = Token(ValueError("oops")), Token()
        tokens = Tokens([failed], [later])
        effects.forget_failures(Tokens, tokens)
        with self.assertRaisesRegex(ValueError, "oops"):
            tokens.block_until_ready()
        tokens.block_until_ready()
        self.assertEqual((failed.waits, later.waits), (1, 1))

    def test_leaves_a_version_of_jax_that_has_other_tokens(self):

        class Tokens:
            block_until_ready = "JAX's own"

        with self.assertRaises(AttributeError):
            effects.forget_failures(Tokens, Tokens())
        self.assertEqual(Tokens.block_until_ready, "JAX's own")


class Frame:
    """A call frame in memory as a plugin makes it, without arguments and results."""

    def __init__(self, index=None, stage=ffi.STAGE_EXECUTE):
        self.errors = []

        @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(ffi.ErrorCreateArgs))
        def create(arguments):
            self.errors.append((arguments.contents.code, arguments.contents.message.decode()))
            return 1

        self.api = ffi.Api(ctypes.sizeof(ffi.Api), error_create=create)
        self.frame = ffi.CallFrame(ctypes.sizeof(ffi.CallFrame), api=ctypes.pointer(self.api), stage=stage)
        if index is None:
            return
        self.value = ctypes.c_uint64(index)
        self.scalar = ffi.Scalar(ffi.DTYPE_U64, ctypes.cast(ctypes.pointer(self.value), ctypes.c_void_p))
        self.text = ctypes.create_string_buffer(b"index", 5)
        self.span = ffi.ByteSpan(ctypes.cast(self.text, ctypes.c_void_p), 5)
        self.types = (ctypes.c_int * 1)(3)
        self.names = (ctypes.POINTER(ffi.ByteSpan) * 1)(ctypes.pointer(self.span))
        self.values = (ctypes.c_void_p * 1)(ctypes.addressof(self.scalar))
        self.frame.attributes = ffi.Attributes(ctypes.sizeof(ffi.Attributes), None, 1, self.types, self.names, self.values)

    def call(self):
        return callbacks._handler(ctypes.pointer(self.frame))


class HandlerTest(unittest.TestCase):

    def test_layout_is_that_of_the_headers(self):
        sizes = {ffi.Extension: 24, ffi.ApiVersion: 24, ffi.Buffer: 48, ffi.Buffers: 40, ffi.Attributes: 48,
                 ffi.CallFrame: 176, ffi.Metadata: 48, ffi.MetadataExtension: 32}  # yapf: disable
        self.assertEqual({struct: ctypes.sizeof(struct) for struct in sizes}, sizes)
        self.assertEqual(ffi.Api.error_create.offset, 48)
        self.assertEqual(ffi.CallFrame.arguments.offset, 40)

    def test_calls_the_function_of_the_index(self):
        calls = []
        entry = callbacks._Entry(lambda: calls.append("called") or ())
        frame = Frame(entry.index)
        self.assertIsNone(frame.call())
        self.assertEqual((calls, frame.errors), (["called"], []))

    def test_does_nothing_in_other_stages(self):
        calls = []
        entry = callbacks._Entry(lambda: calls.append("called") or ())
        self.assertIsNone(Frame(entry.index, stage=1).call())
        self.assertEqual(calls, [])

    def test_returns_exceptions_as_errors(self):

        def fail():
            raise ValueError("oops")

        entry = callbacks._Entry(fail)
        frame = Frame(entry.index)
        self.assertEqual(frame.call(), 1)
        self.assertEqual(frame.errors[0][0], ffi.INTERNAL)
        self.assertRegex(frame.errors[0][1], r"(?s)^a Python callback failed: Traceback .*ValueError: oops")

    def test_refuses_an_index_of_another_process(self):
        frame = Frame(1 << 40)
        frame.call()
        self.assertRegex(frame.errors[0][1], "the function of callback 1099511627776 is not in this process")

    def test_names_a_missing_attribute(self):
        frame = Frame()
        frame.call()
        self.assertRegex(frame.errors[0][1], "no 64-bit integer attribute index; its attributes are ")

    def test_forgets_functions_of_dropped_programs(self):
        index = callbacks._Entry(lambda: ()).index  # Dies at once.
        frame = Frame(index)
        frame.call()
        self.assertRegex(frame.errors[0][1], "is not in this process")

    def test_tells_its_version(self):
        metadata = ffi.Metadata(ctypes.sizeof(ffi.Metadata))
        extension = ffi.MetadataExtension(ffi.Extension(32, 1, None), ctypes.pointer(metadata))
        frame = Frame(stage=0)
        frame.frame.extension_start = ctypes.cast(ctypes.pointer(extension), ctypes.POINTER(ffi.Extension))
        self.assertIsNone(frame.call())
        self.assertEqual((metadata.version.major, metadata.version.minor), ffi.API_VERSION)


if __name__ == "__main__":
    unittest.main()
