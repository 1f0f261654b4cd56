// `npm run dev`: starts a development vault from source and restarts it when its source changes, serves the portal with
// hot reload, and rebuilds the card fields and the demo shop when their source changes. Everything has one address.
//
//   --port <port>         port of that address; default: 5173, or a free port if it is taken
//   --data <directory>    where the vault keeps its database and keys; default: .strongroom/dev
//   --seed                fill a new vault with a month of examples
import path from 'node:path';
import { parseArgs } from 'node:util';
import { renderBanner } from './banner.mjs';
import { buildElements, buildPortalOnce } from './builds.mjs';
import { Changes } from './changes.mjs';
import { Front } from './front.mjs';
import { Vault } from './vault.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const { values: options } = parseArgs({
  options: { port: { type: 'string' }, data: { type: 'string' }, seed: { type: 'boolean', default: false } },
});
// npm runs scripts in the root of the repository, and reports the directory in which it was called.
// oxlint-disable-next-line node/no-process-env -- npm reports it only there.
const calledIn = process.env.INIT_CWD ?? process.cwd();
const data = options.data === undefined ? path.join(root, '.strongroom/dev') : path.resolve(calledIn, options.data);

const vault = new Vault({ root, data, isSeeded: options.seed, onDeath: () => void stop(1) });
let front;
let changes;
let areElementsStale = false;
let stopping;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    // A second signal ends this process immediately. Its children detect that and stop.
    if (stopping !== undefined) process.exit(1);
    void stop(0);
  });

const started = start().catch((error) => {
  if (stopping === undefined) print(error.message);
  void stop(1);
});

async function start() {
  await buildPortalOnce(root);
  await buildElements(root);
  if (stopping !== undefined) return;
  await vault.start();
  front = await Front.start({ root, vault, port: options.port === undefined ? undefined : Number(options.port) });
  changes = new Changes({ root, watcher: front.watcher, apply });
  if (stopping === undefined) print(renderBanner({ url: front.url, data, vault: vault.ready }));
}

/**
 * Rebuilds and restarts the parts that have changed. If that fails, it reports the error and waits for the next change.
 */
async function apply({ elements }) {
  const startedAt = performance.now();
  try {
    // A failed build leaves no files for the vault to serve, so the build is repeated after the next change of any
    // kind.
    areElementsStale ||= elements;
    if (areElementsStale) await buildElements(root);
    areElementsStale = false;
    await vault.restart();
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    const signIn = new URL(new URL(vault.ready.sign_in_url).pathname, front.url);
    print(`${elements ? 'Card fields rebuilt and vault' : 'Vault'} restarted in ${seconds} s. Sign in: ${signIn}`);
  } catch (error) {
    if (stopping === undefined) print(`${error.message} Waiting for a change.`);
  }
}

/** Stops everything. A running build finishes first, because the vault refuses to start from an incomplete build. */
function stop(code) {
  stopping ??= (async () => {
    await Promise.all([started, vault.stop()]);
    await changes?.stop();
    await Promise.all([vault.stop(), front?.stop()]);
    process.exit(code);
  })();
  return stopping;
}

function print(text) {
  process.stdout.write(`${text}\n`);
}
