"""Tests of the runner, on a file of tests that needs no JAX: what passes, fails, skips, crashes and hangs."""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run_tests  # noqa: E402  (beside this file)

# JAX_PLATFORMS stands for what differs between JAX's CPU and Halo.
SAMPLE = '''
import os, sys, time, unittest

assert "--jax_test_dut=cpu" in sys.argv
ON_HALO = os.environ["JAX_PLATFORMS"] .startswith("halo")

class SomeTest(unittest.TestCase):
    def test_a_crashes(self):
        if ON_HALO: os.abort()
    def test_b_hangs(self):
        if ON_HALO: time.sleep(600)
    def test_c_fails(self):
        self.assertFalse(ON_HALO, "fails on Halo")
    def test_d_fails_everywhere(self):
        self.fail("everywhere")
    def test_e_skips_on_halo(self):
        if ON_HALO: self.skipTest("not on Halo")
    def test_f_passes(self):
        self.assertEqual(os.environ["JAX_ENABLE_X64"], "1")
    def test_g_fails_in_a_part(self):
        with self.subTest("part"):
            self.assertFalse(ON_HALO)

class ClassTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if ON_HALO: raise RuntimeError("no class")
    def test_one(self): pass
    def test_two(self): pass
'''
EXPECTED = {
    "SomeTest.test_a_crashes": "crashed",
    "SomeTest.test_b_hangs": "hung",
    "SomeTest.test_c_fails": "failed",
    "SomeTest.test_e_skips_on_halo": "skipped",
    "SomeTest.test_f_passes": "passed",
    "SomeTest.test_g_fails_in_a_part": "failed",
    "ClassTest.test_one": "failed",
    "ClassTest.test_two": "failed",
}


class RunTestsTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("sample_test.py", SAMPLE)
        self.plugin = self.write("plugin.so", "")
        self.out = os.path.join(self.folder, "out.jsonl")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as stream:
            stream.write(text)
        return path

    def run_main(self, *arguments):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = run_tests.main(["--python", sys.executable, "--tests", self.folder, "--plugin", self.plugin, "--out",
                                   self.out, "--limit", "3", *arguments])  # yapf: disable
        return code, output.getvalue().splitlines()

    def halo_statuses(self):
        with open(self.out) as stream:
            records = [json.loads(line) for line in stream]
        return {record["test"].split(".", 1)[1]: record["status"] for record in records if record["platform"] == "halo"}

    def test_goes_on_after_crashes_and_hangs(self):
        code, lines = self.run_main()
        self.assertEqual(self.halo_statuses(), EXPECTED)
        self.assertEqual(lines[-1], "1 passed, 6 failed, 2 skipped")
        self.assertEqual(code, 1)

    def test_chooses_by_filter(self):
        code, lines = self.run_main("--filter", "_f_passes|_e_skips")
        self.assertEqual(self.halo_statuses(), {name: EXPECTED[name] for name in EXPECTED
                                                if name.endswith(("_f_passes", "_e_skips_on_halo"))})
        self.assertEqual((code, lines[-1]), (0, "1 passed, 0 failed, 1 skipped"))

    def test_resumes(self):
        self.run_main("--filter", "_c_fails")
        with open(self.out) as stream:
            first = stream.read()
        with open(self.out, "a") as stream:
            stream.write('{"platform": "halo", "fi')  # An interrupted run.
        code, lines = self.run_main("--resume", "--filter", "_c_fails|_f_passes")
        with open(self.out) as stream:
            self.assertTrue(stream.read().startswith(first))
        self.assertEqual((code, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertNotIn("fails on Halo", "\n".join(lines))  # It did not run again.

    def test_counts_a_file_that_does_not_load(self):
        self.write("sample_test.py", "raise ImportError('no such thing')")
        self.assertEqual(self.run_main()[1][-1], "0 passed, 2 failed, 0 skipped")

    def test_skips_without_a_python(self):
        output = io.StringIO()
        os.environ.pop("HALO_JAX_PYTHON", None)
        with contextlib.redirect_stdout(output):
            self.assertEqual(run_tests.main(["--tests", self.folder]), 0)
        self.assertEqual(output.getvalue(), "skipped: no Python with JAX; give --python P or set HALO_JAX_PYTHON\n")


if __name__ == "__main__":
    unittest.main()
