"""Gives shared libraries names of their own, so that a wheel's copies never meet others of the same name in a process.

The dynamic linker takes a library that is loaded already for any other that asks for the same SONAME: with torch in the
process, oneDNN would get torch's libgomp. So the copies in a wheel are renamed, in their own SONAME and wherever they
ask for each other, by DT_NEEDED or by dlopen. Names keep their lengths, libdnnl.so.2 becomes hlodnnl.so.2, so that
nothing in the files moves.
"""
import os
import re
import subprocess

# What every Linux that can run jaxlib has: the C and C++ libraries, which must be one of each in a process.
OF_THE_SYSTEM = re.compile(
    r"(ld-linux-x86-64|libc|libm|libmvec|libdl|libpthread|librt|libresolv|libutil|libstdc\+\+|libgcc_s)\.so")

PREFIX = "hlo"


def own_name(soname):
    """libX.so.N as the wheel names it."""
    if not soname.startswith("lib"):
        raise ValueError(f"cannot rename {soname}: it does not begin with lib")
    return PREFIX + soname[len("lib"):]


def needed_libraries(path):
    """{name: path} of the libraries that the dynamic linker finds for a file, directly or not, but the system's.

    FileNotFoundError if one is missing.
    """
    listed = subprocess.run(["ldd", path], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in listed.splitlines():
        match = re.match(r"\s*(\S+) => (.*?)(?: \(0x[0-9a-f]+\))?$", line)
        if match is None or OF_THE_SYSTEM.match(match[1]):
            continue
        if not os.path.exists(match[2]):
            raise FileNotFoundError(f"{path} needs {match[1]}, which is not installed")
        found[match[1]] = match[2]
    return found


def find_library(soname):
    """The path of a library that programs load by its name. FileNotFoundError."""
    listed = subprocess.run(["/sbin/ldconfig", "-p"], check=True, capture_output=True, text=True).stdout
    for line in listed.splitlines():
        match = re.match(r"\s*(\S+) \(.*x86-64.*\) => (\S+)", line)
        if match is not None and match[1] == soname:
            return match[2]
    raise FileNotFoundError(f"{soname} is not installed")


def rename(data, sonames):
    """The bytes of a file in which each of `sonames`, where it stands as a whole string, has its own name."""
    for soname in sorted(sonames):
        data = data.replace(b"\0" + soname.encode() + b"\0", b"\0" + own_name(soname).encode() + b"\0")
    return data


def search_beside(path):
    """Lets the dynamic linker look for what a library needs in the library's own folder first.

    By DT_RPATH: a DT_RUNPATH, which Debian's LLVM has, would also end the search along the paths of its users. Those do
    not count anyway for a library that is opened by dlopen (ld.so(8)).
    """
    subprocess.run(["patchelf", "--force-rpath", "--set-rpath", "$ORIGIN", path], check=True)
