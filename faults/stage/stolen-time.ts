import { readFileSync } from 'node:fs';

const sampleMs = 1_000;
/** The highest factor that is reported. Greater slowness cannot be measured reliably. */
const slownessMax = 20;

interface Sample {
  readonly at: number;
  readonly wanted: number;
  readonly stolen: number;
}

/**
 * Measures how much processor time this machine really gets. A virtual machine that shares its processors can stall for
 * seconds. Time limits are then extended by the same factor.
 */
export class StolenTime {
  readonly #samples: Sample[] = [];
  readonly #timer = setInterval(() => this.#sample(), sampleMs).unref();

  constructor() {
    this.#sample();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Returns how many times slower the machine was between two times, in milliseconds, than an undisturbed one. The
   * result is at least 1.
   */
  slowness(from: number, to: number): number {
    let most = 1;
    for (const [index, { at, wanted, stolen }] of this.#samples.entries()) {
      const before = this.#samples[index - 1];
      if (before === undefined || at < from || before.at > to) continue;
      const share = (stolen - before.stolen) / Math.max(1, wanted - before.wanted);
      most = Math.max(most, Math.min(slownessMax, 1 / Math.max(1 - share, 1 / slownessMax)));
    }
    return most;
  }

  /** The share of the requested processor time that the machine did not get since the start. */
  get share(): number {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined) return 0;
    return (last.stolen - first.stolen) / Math.max(1, last.wanted - first.wanted);
  }

  #sample(): void {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0, stolen = 0] = line
      .trim()
      .split(/\s+/)
      .slice(1)
      .map(Number);
    this.#samples.push({ at: Date.now(), wanted: user + nice + system + interrupts + softInterrupts + stolen, stolen });
  }
}
