const lineEveryMs = 5_000;
const barWidth = 30;

/**
 * Shows the progress of a long job: a bar on a terminal, a line every few seconds elsewhere, or lines of JSON if the
 * result is JSON too. It writes to standard error, because results go to standard output.
 */
export class Progress {
  readonly #label: string;
  readonly #isText: boolean;
  readonly #startedAt = performance.now();
  #shownAt = performance.now();
  /** The amount done before this run, because a resumed job does not start at zero. */
  #before: number | undefined;

  constructor(label: string, isText: boolean) {
    this.#label = label;
    this.#isText = isText;
  }

  /** Updates the display. Pass `share`, the completed part of the work, if the total has a different unit. */
  update(done: number, total: number | undefined, share = shareOf(done, total)): void {
    this.#before ??= done;
    const now = performance.now();
    if (now - this.#shownAt < (this.#hasBar() ? 100 : lineEveryMs)) return;
    this.#shownAt = now;
    const rate = Math.round(((done - this.#before) / (now - this.#startedAt)) * 1_000);
    if (!this.#isText) {
      const line = { progress: this.#label, done, total, share, per_second: rate };
      process.stderr.write(`${JSON.stringify(line)}\n`);
      return;
    }
    const part = total === undefined && share !== undefined ? `, ${Math.floor(share * 100)} %` : '';
    const text = `${this.#label}: ${done.toLocaleString('en')}${total === undefined ? '' : ` of ${total.toLocaleString('en')}`}${part}, ${rate.toLocaleString('en')}/s`;
    process.stderr.write(this.#hasBar() ? `\r\u001b[K${toBar(share)}${text}` : `${text}\n`);
  }

  /** Clears the bar for the output that follows. */
  end(): void {
    if (this.#hasBar()) process.stderr.write('\r\u001b[K');
  }

  #hasBar(): boolean {
    return this.#isText && process.stderr.isTTY;
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
