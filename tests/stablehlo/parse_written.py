"""Lets jaxlib parse what hlo-opt --to stablehlo writes for the programs of a corpus.

VENV/bin/python parse_written.py HLO_OPT CORPUS: says which texts jaxlib refuses, and how many programs StableHLO cannot
say. Exit status: 0 jaxlib parses all of them, or there is no jaxlib; 1 it refuses some.
"""

import glob
import json
import os
import subprocess
import sys

try:
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir
except ImportError:
    print("skipped: this interpreter has no jaxlib")
    sys.exit(0)

UNSAYABLE = "write the program as HLO (--to text)"


def is_program(folder):
    with open(os.path.join(folder, "case.json")) as file:
        return json.load(file).get("expect") != "error"


def main(hlo_opt, corpus):
    parsed = unsayable = 0
    failures = []
    for path in sorted(glob.glob(os.path.join(corpus, "*", "*", "module.hlo"))):
        if not is_program(os.path.dirname(path)):
            continue
        written = subprocess.run([hlo_opt, path, "--to", "stablehlo"], capture_output=True, text=True)
        if written.returncode != 0:
            if UNSAYABLE in written.stderr:
                unsayable += 1
            else:
                failures.append((path, written.stderr))
            continue
        with mlir.make_ir_context():
            try:
                ir.Module.parse(written.stdout).operation.verify()
                parsed += 1
            except ir.MLIRError as error:
                failures.append((path, str(error)))
    for path, message in failures:
        print(path + ": " + message.strip())
    print(f"{parsed} parsed, {unsayable} that StableHLO cannot say, {len(failures)} refused")
    return 1 if failures or not parsed else 0


sys.exit(main(*sys.argv[1:]))
