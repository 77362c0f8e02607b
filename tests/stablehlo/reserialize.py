"""Writes the artifacts of a corpus again, at other versions of VHLO, as jaxlib writes them.

VENV/bin/python reserialize.py CORPUS OUTPUT VERSION...: OUTPUT/CASE has VERSION.mlirbc for each version that can say the
program, and program.mlir, which is what jaxlib reads from the case's artifact.
"""

import glob
import os
import re
import sys

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo


def serialized(module, version):
    for mixed in ({}, {"allow_other_dialects": True}):
        try:
            return stablehlo.serialize_portable_artifact(module, version, **mixed)
        except Exception:
            continue
    return None


def text_of(module):
    text = module.operation.get_asm(enable_debug_info=True, print_generic_op_form=True)
    # Functions of which no argument has an attribute have none, also where an empty dictionary stands for each.
    return re.sub(r"(arg|res)_attrs = \[\{\}(, \{\})*\], ", "", text)


def main(corpus, output, versions):
    written = unsayable = 0
    for path in sorted(glob.glob(os.path.join(corpus, "*", "*", "module.mlirbc"))):
        with mlir.make_ir_context():
            try:
                with open(path, "rb") as file:
                    module = stablehlo.deserialize_portable_artifact(mlir.ir.Context.current, file.read())
                module = module if isinstance(module, ir.Module) else ir.Module.parse(module)
            except Exception:
                continue  # one of those that are broken on purpose
            folder = os.path.join(output, os.path.basename(os.path.dirname(path)))
            os.makedirs(folder)
            with open(os.path.join(folder, "program.mlir"), "w") as file:
                file.write(text_of(module))
            for version in versions:
                artifact = serialized(module, version)
                if artifact is None:
                    unsayable += 1
                    continue
                with open(os.path.join(folder, version + ".mlirbc"), "wb") as file:
                    file.write(artifact)
                written += 1
    print(written, unsayable)


main(sys.argv[1], sys.argv[2], sys.argv[3:])
