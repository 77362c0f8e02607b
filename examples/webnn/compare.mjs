// Runs the programs of programs.mjs on Halo in this process and on a headless Chromium's own WebNN, and compares:
//
//   npm install --prefix DIR @sparticuz/chromium puppeteer-core
//   WEBNN_BROWSER=DIR node examples/webnn/compare.mjs
//
// Without WEBNN_BROWSER the two packages are looked for from here. Exits with 0 if the outputs agree, with 1 if they do
// not, with 77 if there is no such browser.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { install } from '../../bindings/node/index.mjs';

const kNoBrowser = 77;
// Sums are taken in another order, transcendental functions are others.
const kTolerance = 2e-5;

const root = fileURLToPath(new URL('../../', import.meta.url));

// The two packages, or undefined.
async function findBrowser() {
  const from = process.env.WEBNN_BROWSER ? join(process.env.WEBNN_BROWSER, 'package.json') : import.meta.url;
  const { resolve } = createRequire(from);
  try {
    const load = async (name) => (await import(pathToFileURL(resolve(name)).href)).default;
    return { chromium: await load('@sparticuz/chromium'), puppeteer: await load('puppeteer-core') };
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

// The page and what it imports, on a port of localhost: WebNN needs a secure context.
async function serve() {
  const types = { '.html': 'text/html', '.mjs': 'text/javascript' };
  const folders = ['examples/webnn/', 'bindings/node/samples/'];
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, 'http://localhost').pathname).slice(1);
    const type = types[extname(path)];
    try {
      if (type === undefined || !folders.some((folder) => path.startsWith(folder))) throw new Error('not served');
      const text = await readFile(join(root, path));
      response.writeHead(200, { 'content-type': type }).end(text);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, 'localhost', resolve));
  return server;
}

async function runInBrowser({ chromium, puppeteer }) {
  const server = await serve();
  const browser = await puppeteer.launch({
    executablePath: await chromium.executablePath(),
    headless: 'shell',
    args: ['--no-sandbox', '--enable-features=WebMachineLearningNeuralNetwork'],
  });
  try {
    const page = await browser.newPage();
    await page.goto(`http://localhost:${server.address().port}/examples/webnn/index.html`);
    return { version: await browser.version(), results: await page.evaluate(() => window.webnnResults) };
  } finally {
    await browser.close();
    server.close();
  }
}

async function runOnHalo() {
  install(globalThis);
  const { runAll } = await import('./programs.mjs');
  return runAll();
}

// The largest difference, or what keeps the two from being compared.
function compare(ours, theirs) {
  const error = ours.error ?? theirs?.error ?? (theirs === undefined ? 'did not run in the browser' : undefined);
  if (error !== undefined) return { agrees: false, text: error };
  if (ours.output.length !== theirs.output.length) return { agrees: false, text: 'other numbers of elements' };
  const worst = ours.output.reduce((most, value, i) => Math.max(most, Math.abs(value - theirs.output[i])), 0);
  return { agrees: worst <= kTolerance, text: `${ours.output.length} elements, largest difference ${worst.toExponential(2)}` };
}

const packages = await findBrowser();
if (packages === undefined) {
  console.log('skipped: the npm packages @sparticuz/chromium and puppeteer-core are not here (WEBNN_BROWSER says in which folder)');
  process.exit(kNoBrowser);
}
const ours = await runOnHalo();
const { version, results: theirs } = await runInBrowser(packages);
console.log(`Halo beside ${version}`);
let failures = 0;
if (theirs.page !== undefined) console.log(`the page: ${theirs.page.error}`);
for (const [name, result] of Object.entries(ours)) {
  const { agrees, text } = compare(result, theirs[name]);
  if (!agrees) ++failures;
  console.log(`${agrees ? 'agrees' : 'DIFFERS'}  ${name}: ${text}`);
}
process.exit(failures === 0 ? 0 : 1);
