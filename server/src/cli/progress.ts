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

  /** The share of the work that is done, where the total is not what it is counted in. */
  update(done: number, total: number | undefined, share = shareOf(done, total)): void {
    const now = performance.now();
    const isTerminal = process.stderr.isTTY;
    if (!this.#isShown || now - this.#shownAt < (isTerminal ? 100 : lineEveryMs)) return;
    this.#shownAt = now;
    const rate = Math.round((done / (now - this.#startedAt)) * 1_000);
    const part = total === undefined && share !== undefined ? `, ${Math.floor(share * 100)} %` : '';
    const text = `${this.#label}: ${done.toLocaleString('en')}${total === undefined ? '' : ` of ${total.toLocaleString('en')}`}${part}, ${rate.toLocaleString('en')}/s`;
    process.stderr.write(isTerminal ? `\r\u001b[K${toBar(share)}${text}` : `${text}\n`);
  }

  /** Leaves the line free for what comes next. */
  end(): void {
    if (this.#isShown && process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  }
}

function shareOf(done: number, total: number | undefined): number | undefined {
  return total === undefined || total === 0 ? undefined : done / total;
}

function toBar(share: number | undefined): string {
  if (share === undefined) return '';
  const filled = Math.min(barWidth, Math.round(share * barWidth));
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] `;
}
