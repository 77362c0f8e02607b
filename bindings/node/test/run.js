// npm test: the package's own tests, then the WebNN conformance corpus where there is one (HALO_CORPUS says where),
// with the graphs on the backend cpu, and on HALO_BACKEND if that is set. The last line is "N passed, N failed, N
// skipped".
'use strict';

const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { findCorpus, runCorpus } = require('./corpus.js');

// Of node:test's summary.
function countsOf(output) {
  const count = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? 0);
  return { passed: count('pass'), failed: count('fail') + count('cancelled'), skipped: count('skipped') };
}

function runTests() {
  const files = fs.readdirSync(__dirname).filter((name) => name.endsWith('.test.js')).map((name) => path.join(__dirname, name));
  // Node 18 has no other reporter.
  const reporter = Number(process.versions.node.split('.')[0]) >= 20 ? ['--test-reporter=tap'] : [];
  const { stdout, status } = spawnSync(
      process.execPath, ['--test', ...reporter, ...files], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28 });
  process.stdout.write(stdout);
  const counts = countsOf(stdout);
  if (status !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

async function main() {
  const total = runTests();
  const folder = findCorpus();
  if (folder === undefined) {
    console.log('the conformance corpus is not here (HALO_CORPUS says where it is): skipped');
    ++total.skipped;
  } else {
    for (const backend of new Set(['cpu', process.env.HALO_BACKEND ?? 'cpu'])) {
      const counts = await runCorpus({ folder, backend });
      console.log(`corpus on ${backend}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
      for (const kind of Object.keys(total)) total[kind] += counts[kind];
    }
  }
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}

main();
