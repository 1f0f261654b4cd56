const width = 30;
const lineEveryMs = 5_000;

/** Shows how far a long job is: a bar on a terminal, a line every few seconds otherwise. */
export class ProgressBar {
  readonly #label: string;
  readonly #total: number;
  readonly #startedAt = performance.now();
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(label: string, total: number) {
    this.#label = label;
    this.#total = total;
  }

  show(done: number): void {
    const now = performance.now();
    const isLast = done >= this.#total;
    if (!isLast && now - this.#shownAt < (process.stderr.isTTY ? 100 : lineEveryMs)) return;
    this.#shownAt = now;

    const rate = done / Math.max((now - this.#startedAt) / 1_000, 0.001);
    const left = isLast ? '' : `, ${Math.ceil((this.#total - done) / Math.max(rate, 1))} s left`;
    const filled = Math.round((width * done) / this.#total);
    const bar = process.stderr.isTTY ? `[${'#'.repeat(filled)}${' '.repeat(width - filled)}] ` : '';
    const line = `${this.#label} ${bar}${done}/${this.#total} (${Math.round(rate)}/s${left})`;
    process.stderr.write(process.stderr.isTTY ? `\r${line.padEnd(100)}${isLast ? '\n' : ''}` : `${line}\n`);
  }
}
