"""Tests of elf_names.py and make_wheel.py."""
import base64
import csv
import hashlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import elf_names  # noqa: E402  (beside this file)
import make_wheel  # noqa: E402


class NamesTest(unittest.TestCase):

    def test_renames_whole_strings_only(self):
        data = b"\0libz.so.1\0libzz.so.1\0/lib/libz.so.1\0libz.so.1"
        self.assertEqual(elf_names.rename(data, {"libz.so.1"}), b"\0hloz.so.1\0libzz.so.1\0/lib/libz.so.1\0libz.so.1")

    def test_renames_neighbours(self):
        self.assertEqual(elf_names.rename(b"\0liba.so\0libb.so\0", {"liba.so", "libb.so"}), b"\0hloa.so\0hlob.so\0")

    def test_refuses_names_that_it_cannot_change_in_place(self):
        with self.assertRaisesRegex(ValueError, "cannot rename z.so: it does not begin with lib"):
            elf_names.own_name("z.so")

    def test_leaves_the_c_library_alone(self):
        needed = elf_names.needed_libraries("/bin/sh")
        self.assertFalse([name for name in needed if name.startswith(("libc.", "ld-linux"))])

    def test_names_a_library_that_is_not_installed(self):
        with self.assertRaisesRegex(FileNotFoundError, "libno_such.so.7 is not installed"):
            elf_names.find_library("libno_such.so.7")


class SearchPathTest(unittest.TestCase):

    def test_searches_beside_the_library(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "libx.so")
            subprocess.run(["cc", "-shared", "-o", path, "-Wl,--enable-new-dtags,-rpath,/here", "-xc", "/dev/null"],
                           check=True)
            elf_names.search_beside(path)
            listed = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout
        self.assertRegex(listed, r"\(RPATH\) .*\[\$ORIGIN\]")
        self.assertNotIn("RUNPATH", listed)


class WheelTest(unittest.TestCase):

    def write(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "w.whl")
            make_wheel.write_wheel(path, "1.2.3", {"jax_plugins/halo/__init__.py": b"x = 1\n",
                                                   "jax_plugins/halo/p.so": b"\0" * 100})  # yapf: disable
            with open(path, "rb") as stream:
                return stream.read()

    def test_record_has_every_file(self):
        archive = zipfile.ZipFile(io.BytesIO(self.write()))
        info = "halo_jax-1.2.3.dist-info/"
        rows = list(csv.reader(archive.read(info + "RECORD").decode().splitlines()))
        self.assertEqual(sorted(row[0] for row in rows), sorted(archive.namelist()))
        for name, digest, size in rows:
            if name == info + "RECORD":
                continue
            data = archive.read(name)
            expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            self.assertEqual((digest, size), ("sha256=" + expected, str(len(data))))
        self.assertIn("Tag: py3-none-linux_x86_64\n", archive.read(info + "WHEEL").decode())
        self.assertEqual(archive.read(info + "entry_points.txt").decode(), "[jax_plugins]\nhalo = jax_plugins.halo\n")

    def test_is_the_same_every_time(self):
        self.assertEqual(self.write(), self.write())

    def test_package_has_no_init_above_the_plugin(self):
        # jax_plugins is a namespace package, which other plugins share.
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "jax_plugins")
        paths = [os.path.join(at, file) for at, _, files in os.walk(folder) for file in files if file.endswith(".py")]
        files = make_wheel.package_files(paths)
        self.assertIn("jax_plugins/halo/__init__.py", files)
        self.assertNotIn("jax_plugins/__init__.py", files)


if __name__ == "__main__":
    unittest.main()
