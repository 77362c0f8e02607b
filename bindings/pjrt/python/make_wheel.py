"""Makes the wheel: the package jax_plugins/halo, the plugin, and the libraries of the system that it needs.

    make_wheel.py --out FILE.whl --version V --package FOLDER/... --library FILE... --loaded-later SONAME...

--package: files under a folder jax_plugins. --library: the plugin and its core, which lie beside the package's
modules; libraries that they need, and those of --loaded-later, which they open by name when a program needs them, come
along under names of their own (elf_names.py), and all find each other by a run path, $ORIGIN. The same inputs give the
same bytes.
"""
import argparse
import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import elf_names  # noqa: E402  (beside this file)

NAME = "halo_jax"
TAG = "py3-none-linux_x86_64"
FOLDER = "jax_plugins/halo/"
MAX_BYTES = 100 * 1000 * 1000
# The earliest that zip archives can say.
TIME = (1980, 1, 1, 0, 0, 0)

METADATA = """Metadata-Version: 2.1
Name: halo-jax
Version: {version}
Summary: Halo, an HLO interpreter and optimizing compiler, as a platform of JAX
Requires-Python: >=3.9
Description-Content-Type: text/plain

JAX_PLATFORMS=halo python train.py runs a JAX program on Halo. An installed plugin is JAX's default platform;
JAX_PLATFORMS=cpu goes back to JAX's own.
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: halo\nRoot-Is-Purelib: false\nTag: {tag}\n"
ENTRY_POINTS = "[jax_plugins]\nhalo = jax_plugins.halo\n"


def gather_libraries(plugin_files, loaded_later):
    """{path in the wheel: bytes} of the plugin's files and of all libraries that they need."""
    needed = {}
    for path in plugin_files:
        needed.update(elf_names.needed_libraries(path))
    for soname in loaded_later:
        path = elf_names.find_library(soname)
        needed[soname] = path
        needed.update(elf_names.needed_libraries(path))
    own = {os.path.basename(path) for path in plugin_files}
    needed = {soname: path for soname, path in needed.items() if soname not in own}
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        for path in plugin_files:
            stripped = os.path.join(folder, os.path.basename(path))
            subprocess.run(["strip", "--strip-unneeded", "-o", stripped, path], check=True)
            with open(stripped, "rb") as stream:
                files[FOLDER + os.path.basename(path)] = elf_names.rename(stream.read(), needed)
        for soname, path in needed.items():
            copy = os.path.join(folder, soname)
            shutil.copyfile(path, copy)
            elf_names.search_beside(copy)
            with open(copy, "rb") as stream:
                files[FOLDER + elf_names.own_name(soname)] = elf_names.rename(stream.read(), needed)
    return files, sorted(set(needed.values()))


def licences(paths):
    """{name: bytes} of the copyright files of the Debian packages that the libraries come from."""
    if shutil.which("dpkg-query") is None:
        return {}
    found = {}
    for path in paths:
        for candidate in (path, os.path.realpath(path), os.path.realpath(path).replace("/usr", "", 1)):
            listed = subprocess.run(["dpkg-query", "-S", candidate], capture_output=True, text=True)
            if listed.returncode == 0:
                package = listed.stdout.split(":")[0]
                copyright_file = f"/usr/share/doc/{package}/copyright"
                if os.path.exists(copyright_file):
                    with open(copyright_file, "rb") as stream:
                        found[f"licenses/{package}"] = stream.read()
                break
    return found


def package_files(paths):
    """{path in the wheel: bytes} of the Python files."""
    files = {}
    for path in paths:
        begin = path.rfind("jax_plugins/")
        if begin < 0:
            raise ValueError(f"{path} is not in a folder jax_plugins")
        with open(path, "rb") as stream:
            files[path[begin:]] = stream.read()
    return files


def record_of(files, record_path):
    """RECORD: the name, hash and size of every file."""
    lines = []
    for name, data in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    return "".join(lines + [f"{record_path},,\n"]).encode()


def write_wheel(out, version, files):
    """Writes `files` with the metadata of wheels to the path `out`."""
    info = f"{NAME}-{version}.dist-info/"
    files = dict(files)
    files[info + "METADATA"] = METADATA.format(version=version).encode()
    files[info + "WHEEL"] = WHEEL.format(tag=TAG).encode()
    files[info + "entry_points.txt"] = ENTRY_POINTS.encode()
    files[info + "RECORD"] = record_of(files, info + "RECORD")
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = (0o100755 if ".so" in name else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data, compresslevel=9)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--package", nargs="+", required=True)
    parser.add_argument("--library", nargs="+", required=True)
    parser.add_argument("--loaded-later", nargs="*", default=[])
    arguments = parser.parse_args(arguments)
    files = package_files(arguments.package)
    libraries, sources = gather_libraries(arguments.library, arguments.loaded_later)
    files.update(libraries)
    info = f"{NAME}-{arguments.version}.dist-info/"
    files.update({info + name: data for name, data in licences(sources).items()})
    write_wheel(arguments.out, arguments.version, files)
    size = os.path.getsize(arguments.out)
    if size > MAX_BYTES:
        print(f"make_wheel.py: the wheel has {size} bytes, more than {MAX_BYTES}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
