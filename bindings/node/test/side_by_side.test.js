// The programs of examples/webnn on Halo and on a headless Chromium's own WebNN, where that is installed.
'use strict';

const assert = require('assert');
const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const test = require('node:test');

const kScript = path.join(__dirname, '..', '..', '..', 'examples', 'webnn', 'compare.mjs');
const kNoBrowser = 77;

test('programs give the same here and in Chromium', (context) => {
  if (!fs.existsSync(kScript)) {
    context.skip('examples/webnn is not beside this package');
    return;
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [kScript], { encoding: 'utf8' });
  context.diagnostic(stdout.trim());
  if (status === kNoBrowser) {
    context.skip(stdout.trim());
  } else {
    assert.strictEqual(status, 0, stdout + stderr);
  }
});
