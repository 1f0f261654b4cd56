import { readdirSync } from 'node:fs';
import path from 'node:path';

/** The time to wait for further changes, because editors and Git write several files at once. */
const pauseMs = 100;

/**
 * Source of the vault. Files directly in `server/assets` are added individually, because its folders are written by
 * builds.
 */
const vaultSource = ['server/src/', 'server/migrations/'];
/** Source of the card fields and the shop. They share the validation of card numbers with the vault. */
const elementsSource = ['elements/', 'server/src/core/token-types/'];
const ignored = /^elements\/dist\/|\/node_modules\/|\.test\.ts$/;

/** Watches the source of the vault, the card fields and the shop. Vite watches the source of the portal. */
export class Changes {
  #apply;
  #timer;
  #isStopped = false;
  #waiting;
  #working = Promise.resolve();

  /** Calls `apply` for changes, one call at a time. */
  constructor({ root, watcher, apply }) {
    this.#apply = apply;
    const assets = readdirSync(path.join(root, 'server/assets'), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `server/assets/${entry.name}`);
    watcher.add([...vaultSource, ...elementsSource, ...assets].map((name) => path.join(root, name)));
    watcher.on('all', (event, file) => {
      if (!event.endsWith('Dir')) this.#note(path.relative(root, file).replaceAll(path.sep, '/'), assets);
    });
  }

  /** Waits until the changes that are being applied are done. */
  async stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#working;
  }

  #note(name, assets) {
    const isOf = (source) => source.some((folder) => name.startsWith(folder));
    if (this.#isStopped || ignored.test(name) || !isOf([...vaultSource, ...elementsSource, ...assets])) return;
    this.#waiting = { elements: this.#waiting?.elements === true || isOf(elementsSource) };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#working = this.#working.then(() => this.#work());
    }, pauseMs);
  }

  async #work() {
    const changed = this.#waiting;
    this.#waiting = undefined;
    if (changed !== undefined && !this.#isStopped) await this.#apply(changed);
  }
}
