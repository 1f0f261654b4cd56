import { once } from 'node:events';
import path from 'node:path';
import { findFreePort } from '../../server/src/platform/local-postgres/free-port.ts';
import { startNode } from './node-process.mjs';

/** `strongroom dev`, run from source. It keeps its port, database and keys when it is restarted. */
export class Vault {
  /** What the vault printed when it was ready. */
  ready;
  port;
  #options;
  #child;
  #isStopping = false;
  /** Settles when the vault is ready or could not start. */
  #starting = Promise.resolve();

  /** `onDeath` is called if the vault ends by itself after it was ready. */
  constructor(options) {
    this.#options = options;
  }

  start() {
    return this.#begin(this.#open());
  }

  /** Requests wait from now on until the new vault is ready. */
  restart() {
    return this.#begin(this.stop().then(() => this.#open()));
  }

  /** Waits while the vault starts. Throws if it could not start. */
  untilReady() {
    return this.#starting;
  }

  async stop() {
    this.#isStopping = true;
    const child = this.#child;
    if (child === undefined) return;
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
  }

  #begin(starting) {
    this.#starting = starting;
    // Nobody may be waiting when it fails; the next request learns it.
    starting.catch(() => undefined);
    return starting;
  }

  async #open() {
    this.#isStopping = false;
    this.port ??= await findFreePort();
    const { root, data, isSeeded, onDeath } = this.#options;
    const main = path.join(root, 'server/src/main.ts');
    const command = [main, 'dev', '--json', '--port', String(this.port), '--data', data];
    const child = startNode(isSeeded ? [...command, '--seed'] : command, {
      cwd: root,
      // Node.js compiles only the files that have changed since the last start.
      environment: { NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/strongroom-compile-cache') },
    });
    this.#child = child;
    child.stderr.pipe(process.stderr, { end: false });
    let isReady = false;
    child.once('close', (code, signal) => {
      this.#child = undefined;
      if (!isReady || this.#isStopping) return;
      process.stderr.write(`The vault ended with ${signal ?? `code ${code}`}.\n`);
      onDeath();
    });
    this.ready = await readLine(child);
    isReady = true;
  }
}

/** Returns the line of JSON that the vault prints when it is ready, and passes on what it prints later. */
function readLine(child) {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (chunk) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end === -1) return;
      child.stdout.off('data', read).pipe(process.stdout, { end: false });
      resolve(JSON.parse(text.slice(0, end)));
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.once('close', () => reject(new Error('The vault did not start.')));
  });
}
