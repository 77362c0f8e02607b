"""Adds up what gcov says about objects and lists the lines of some folders that were not executed.

  coverage_report.py --notes ROOT --counters DIR --source DIR --output DIR --floor PERCENT FOLDER...

ROOT has the compiler's notes (.gcno) below bazel-out, DIR the counters (.gcda) that runs left, by the same paths. A
line counts if code was made of it in any object, and as executed if any object executed it. Exit status 1 if less than
PERCENT of a folder's lines were executed.
"""
import argparse
import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def lines_of_object(notes, counters):
    """{file: {line: times executed}} of one object."""
    with tempfile.TemporaryDirectory() as folder:
        # gcov looks for both under one name.
        shutil.copy(notes, os.path.join(folder, 'object.gcno'))
        if counters.exists():
            shutil.copy(counters, os.path.join(folder, 'object.gcda'))
        subprocess.run(['gcov', '--json-format', 'object.gcno'], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        found = collections.defaultdict(dict)
        for name in os.listdir(folder):
            if not name.endswith('.json.gz'):
                continue
            with gzip.open(os.path.join(folder, name)) as file:
                for source in json.load(file)['files']:
                    lines = found[source['file'].replace('/proc/self/cwd/', '')]
                    for line in source['lines']:
                        number = line['line_number']
                        lines[number] = max(lines.get(number, 0), line['count'])
        return found


def ranges(numbers):
    """"3-5, 9" of sorted numbers."""
    parts = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ', '.join(str(a) if a == b else f'{a}-{b}' for a, b in parts)


def main():
    parser = argparse.ArgumentParser()
    for name in ('notes', 'counters', 'source', 'output'):
        parser.add_argument('--' + name, type=pathlib.Path, required=True)
    parser.add_argument('--floor', type=float, required=True)
    parser.add_argument('folders', nargs='+')
    arguments = parser.parse_args()

    objects = sorted((arguments.notes / 'bazel-out').rglob('*.gcno'))
    if not objects:
        print('coverage: no notes of the compiler below', arguments.notes, file=sys.stderr)
        return 2
    executed = collections.defaultdict(dict)
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        counters = [arguments.counters / notes.relative_to(arguments.notes).with_suffix('.gcda') for notes in objects]
        for found in pool.map(lines_of_object, objects, counters):
            for file, lines in found.items():
                for number, count in lines.items():
                    executed[file][number] = max(executed[file].get(number, 0), count)

    below = False
    for folder in arguments.folders:
        total = missed_total = 0
        listing = []
        for file in sorted(executed):
            if not file.startswith(folder + '/'):
                continue
            lines = executed[file]
            missed = sorted(number for number, count in lines.items() if count == 0)
            total += len(lines)
            missed_total += len(missed)
            if not missed:
                continue
            listing.append(f'{file}: {len(missed)} of {len(lines)}: {ranges(missed)}')
            text = (arguments.source / file).read_text().split('\n')
            listing += [f'  {number}: {text[number - 1]}' for number in missed if number <= len(text)]
        percent = 100.0 * (total - missed_total) / total if total else 0.0
        below = below or percent < arguments.floor
        path = arguments.output / (folder.replace('/', '_') + '.txt')
        path.write_text('\n'.join(listing) + '\n')
        print(f'{folder}: {percent:.1f} % of {total} lines executed, {missed_total} not: {path}')
    return 1 if below else 0


if __name__ == '__main__':
    sys.exit(main())
