import { readFileSync } from 'node:fs';

const sampleMs = 1_000;
/** Beyond this nobody can say how slow a machine is. */
const slownessMax = 20;

interface Sample {
  readonly at: number;
  readonly wanted: number;
  readonly stolen: number;
}

/**
 * How much of its processors this machine really gets. A virtual machine that shares them with others can stand still for seconds;
 * limits of time are then longer by as much as it was slower.
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

  /** How many times longer everything took in that time than on a machine of its own: 1 or more. Times are in milliseconds. */
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

  /** The share of the time that was wanted since the beginning and not given. */
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
