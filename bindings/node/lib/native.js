// The compiled half. It lies beside the package where that is installed, and in bazel-bin where it was built.
'use strict';

const fs = require('fs');
const path = require('path');

const here = path.join(__dirname, '..');
const candidates = [
  process.env.HALO_WEBNN_ADDON,
  path.join(here, 'halo_webnn.node'),
  path.join(here, '..', '..', 'bazel-bin', 'bindings', 'node', 'halo_webnn.node'),
].filter((file) => file);

const file = candidates.find((candidate) => fs.existsSync(candidate));
if (file === undefined) {
  throw new Error(`@halo/webnn: halo_webnn.node is in none of ${candidates.join(', ')}; ` +
                  'build it with: bazel build //bindings/node:addon');
}

const native = require(path.resolve(file));

// Taken now: programs may replace what is global.
const { TypeError, DOMException, Error: PlainError } = globalThis;

// How an error looks in a browser. `rule` tells what was broken, in words that stay the same.
function makeError(kind, message, rule) {
  const error = kind === 'TypeError' ? new TypeError(message)
      : kind === '' ? new PlainError(message) : new DOMException(message, kind);
  if (rule !== '') Object.defineProperty(error, 'rule', { value: rule, configurable: true });
  return error;
}

const { apply } = Reflect;
const transferMethod = ArrayBuffer.prototype.transfer;
const { structuredClone } = globalThis;

// An ArrayBuffer with the same memory; the old one is detached.
function transferBuffer(buffer) {
  try {
    return transferMethod === undefined ? structuredClone(buffer, { transfer: [buffer] }) : apply(transferMethod, buffer, []);
  } catch (error) {
    throw makeError('TypeError', `a buffer cannot be transferred: ${error.message}`, 'buffer cannot be transferred');
  }
}

native.initialize(makeError, transferBuffer);
// What is under way ends before the process does.
process.on('exit', () => native.waitForHeld());

module.exports = { native, makeError };
