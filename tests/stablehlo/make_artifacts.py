"""Writes the artifacts of builders/stablehlo/tests/artifacts: one program at several versions of VHLO.

VENV/bin/python tests/stablehlo/make_artifacts.py, in the root of the repository. The program has a public function for
each case of builders/stablehlo/tests/cases that runs and has an operation, an attribute or a type that those before it
do not have. An artifact has those that its version can say.
"""

import glob
import os
import re

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

VERSIONS = ["0.9.0", "0.14.0", "0.20.0", "1.0.0", "1.4.0", "1.8.0", "1.12.0", "1.17.0"]
CASES = "builders/stablehlo/tests/cases/*.mlir"
OUTPUT = "builders/stablehlo/tests/artifacts"
# A file of several programs has at most a hundred.
MOST_FUNCTIONS = 95


def programs():
    for path in sorted(glob.glob(CASES)):
        with open(path) as file:
            parts = re.split(r"^// CASE ", file.read(), flags=re.M)[1:]
        for part in parts:
            title, _, rest = part.partition("\n")
            program = re.split(r"^// (?:INPUTS|RESULT|REFUSED|TOLERANCE)", rest, flags=re.M)[0]
            if "// REFUSED" not in rest and "chlo." not in program:
                yield os.path.basename(path)[:-5] + "_" + re.sub(r"\W", "_", title), program


def parsed(text):
    try:
        return ir.Module.parse(text)
    except Exception:
        return None


def serialized(text, version):
    module = parsed(text)
    try:
        return module and stablehlo.serialize_portable_artifact(module, version)
    except Exception:
        return None


def features(module):
    """The operations with the names of their attributes, and the types of elements."""
    found = set()

    def visit(operation):
        found.add((operation.name, tuple(sorted(operation.attributes))))
        for result in operation.results:
            found.add(re.sub(r"[0-9?]+x", "", str(result.type)))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def renamed(module, title):
    """The functions of a module, with names of their own; the first is `title`."""
    text = module.operation.get_asm(print_generic_op_form=False)
    names = re.findall(r"func\.func (?:public |private )?@([\w.$-]+)", text)
    for name in names:
        new = title if name == "main" else title + "_" + name
        text = re.sub(r"@%s\b" % re.escape(name), "@" + new, text)
    text = re.sub(r"func\.func (?:public |private )?@(%s\w+)" % re.escape(title + "_"), r"func.func private @\1", text)
    return "\n".join(text.split("\n")[1:-2])


def main():
    context = mlir.make_ir_context()
    functions, seen = [], set()
    with context:
        for title, program in programs():
            module = parsed(program)
            if module is None or "module {" not in str(module).split("\n")[0] or len(functions) == MOST_FUNCTIONS:
                continue
            new = features(module) - seen
            text = renamed(module, title)
            if new and serialized("module {\n" + text + "\n}", VERSIONS[-1]) is not None:
                seen |= new
                functions.append(text)
        os.makedirs(OUTPUT, exist_ok=True)
        with open(OUTPUT + "/program.mlir", "w") as file:
            file.write("module {\n" + "\n".join(functions) + "\n}\n")
        for version in VERSIONS:
            said = [f for f in functions if serialized("module {\n" + f + "\n}", version) is not None]
            with open("%s/%s.mlirbc" % (OUTPUT, version), "wb") as file:
                file.write(serialized("module {\n" + "\n".join(said) + "\n}", version))
            print(version, len(said), "of", len(functions))


main()
