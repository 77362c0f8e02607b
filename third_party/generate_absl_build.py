#!/usr/bin/env python3
"""Writes third_party/absl.BUILD: one cc_library for each component of Debian's libabsl-dev, from its pkg-config files.

Usage: third_party/generate_absl_build.py > third_party/absl.BUILD

The shared libraries are linked, because Debian's static ones are not position-independent and so could not become part of a
shared library of ours.
"""

import pathlib
import re

LIBRARIES = pathlib.Path("/usr/lib/x86_64-linux-gnu")
PREFIX = "absl_"


def required_components(pkgconfig_text):
    """The sorted component names in a .pc file's Requires line, without the prefix."""
    match = re.search(r"^Requires:(.*)$", pkgconfig_text, re.MULTILINE)
    requirements = match.group(1).split(",") if match else []
    names = {requirement.split("=")[0].strip() for requirement in requirements}
    return sorted(name[len(PREFIX):] for name in names if name)


def string_list(attribute, values):
    """`attribute = [...],` as buildifier formats it."""
    if len(values) == 1:
        return [f'    {attribute} = ["{values[0]}"],']
    return [f"    {attribute} = ["] + [f'        "{value}",' for value in values] + ["    ],"]


def cc_library(name, pkgconfig_text):
    lines = ["cc_library(", f'    name = "{name}",']
    if (LIBRARIES / f"lib{PREFIX}{name}.so").exists():
        lines += string_list("linkopts", [f"-l{PREFIX}{name}"])
    deps = required_components(pkgconfig_text)
    if deps:
        lines += string_list("deps", [f":{dep}" for dep in deps])
    if len(lines) == 2:
        return [f'cc_library(name = "{name}")']
    return lines + [")"]


def main():
    print("# Written by generate_absl_build.py: do not edit.")
    print('package(default_visibility = ["//visibility:public"])')
    for path in sorted((LIBRARIES / "pkgconfig").glob(f"{PREFIX}*.pc")):
        print()
        print("\n".join(cc_library(path.stem[len(PREFIX):], path.read_text())))


if __name__ == "__main__":
    main()
