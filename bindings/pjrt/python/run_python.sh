#!/bin/bash
# Runs a Python program of this folder with the machine's Python: run_python.sh PROGRAM [ARGUMENT...]
set -euo pipefail
exec python3 -B "$@"
