const lineEveryMs = 5_000;
const barWidth = 30;

/** Shows how far a long job is: a bar on a terminal, a line every few seconds elsewhere. On standard error, since results go to the other. */
export class Progress {
  readonly #label: string;
  readonly #isShown: boolean;
  readonly #startedAt = performance.now();
  #shownAt = performance.now();

  constructor(label: string, isShown: boolean) {
    this.#label = label;
    this.#isShown = isShown;
  }

  update(done: number, total: number | undefined): void {
    const now = performance.now();
    const isTerminal = process.stderr.isTTY;
    if (!this.#isShown || now - this.#shownAt < (isTerminal ? 100 : lineEveryMs)) return;
    this.#shownAt = now;
    const rate = Math.round((done / (now - this.#startedAt)) * 1_000);
    const text = `${this.#label}: ${done.toLocaleString('en')}${total === undefined ? '' : ` of ${total.toLocaleString('en')}`}, ${rate.toLocaleString('en')}/s`;
    process.stderr.write(isTerminal ? `\r\u001b[K${toBar(done, total)}${text}` : `${text}\n`);
  }

  /** Leaves the line free for what comes next. */
  end(): void {
    if (this.#isShown && process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  }
}

function toBar(done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return '';
  const filled = Math.min(barWidth, Math.round((done / total) * barWidth));
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] `;
}
