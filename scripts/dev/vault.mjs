import { once } from 'node:events';
import path from 'node:path';
import { findFreePort } from '../../server/src/platform/local-postgres/free-port.ts';
import { runNode, startNode } from './node-process.mjs';

/** `strongroom dev`, run from source. It keeps its port, database and keys when it is restarted. */
export class Vault {
  /** The addresses and keys that the vault printed when it was ready. */
  ready;
  port;
  #options;
  #child;
  #isStopping = false;
  /** Settles when the vault is ready or could not start. */
  #starting = Promise.resolve();

  /** `onDeath` is called if the vault exits on its own after it was ready. */
  constructor(options) {
    this.#options = options;
  }

  start() {
    return this.#begin(this.#open());
  }

  /** Restarts the vault. Requests wait until it is ready again. */
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
    // The start may fail while no request is waiting. The next request then fails with the same error.
    starting.catch(() => undefined);
    return starting;
  }

  async #open() {
    this.#isStopping = false;
    this.port ??= await findFreePort();
    const child = this.#launch();
    let isReady = false;
    child.once('close', (code, signal) => {
      this.#child = undefined;
      if (!isReady || this.#isStopping) return;
      process.stderr.write(`The vault ended with ${signal ?? `code ${code}`}.\n`);
      this.#options.onDeath();
    });
    const ready = await readLine(child);
    if (ready === undefined) throw new Error(`${await this.#findMistake()}The vault did not start.`);
    this.ready = ready;
    isReady = true;
  }

  #launch() {
    const { data, isSeeded } = this.#options;
    const command = ['server/src/main.ts', 'dev', '--json', '--port', String(this.port), '--data', data];
    const child = startNode(isSeeded ? [...command, '--seed'] : command, this.#surroundings);
    child.stderr.pipe(process.stderr, { end: false });
    this.#child = child;
    return child;
  }

  /**
   * Returns the error that Node.js reports for source that it cannot load, with file and line, which the vault's own
   * message lacks. The text is empty if everything can be loaded.
   */
  async #findMistake() {
    if (this.#isStopping) return '';
    const command = ['--import', './server/src/cli/command-line.ts', 'server/src/app/dev/development-vault.ts'];
    return (await runNode(command, this.#surroundings)).output;
  }

  get #surroundings() {
    const { root } = this.#options;
    // With this cache, Node.js compiles only the files that have changed since the last start.
    const cache = path.join(root, 'node_modules/.cache/strongroom-compile-cache');
    return { cwd: root, environment: { NODE_COMPILE_CACHE: cache } };
  }
}

/**
 * Returns the line of JSON that the vault prints when it is ready, and forwards its later output. Returns undefined if
 * the vault exits first.
 */
function readLine(child) {
  return new Promise((resolve) => {
    let text = '';
    const read = (chunk) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end === -1) return;
      child.stdout.off('data', read).pipe(process.stdout, { end: false });
      resolve(JSON.parse(text.slice(0, end)));
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.once('close', () => resolve(undefined));
  });
}
