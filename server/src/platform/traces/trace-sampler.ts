import type { SamplerName, TraceConfig } from './trace-config.ts';
import type { TraceParent } from '../telemetry/tracer.ts';

/**
 * The number of hexadecimal digits at the end of an id to which the ratio is applied. These digits are random in trace
 * ids (W3C Trace Context §3.2.2.3) and in UUIDs (RFC 9562 §5).
 */
const digits = 12;
const range = 16 ** digits;

/**
 * Decides which traces are recorded. A caller can have its trace recorded by setting the sampled flag, or by choosing
 * an id that the ratio selects. The limit per second bounds the total cost.
 */
export class TraceSampler {
  readonly #config: Pick<TraceConfig, 'sampler' | 'ratio' | 'perSecondMax'>;
  readonly #now: () => number;
  #left: number;
  #filledAt: number;
  #limited = 0;

  constructor(
    config: Pick<TraceConfig, 'sampler' | 'ratio' | 'perSecondMax'>,
    now: () => number = () => performance.now(),
  ) {
    this.#config = config;
    this.#now = now;
    this.#left = config.perSecondMax;
    this.#filledAt = now();
  }

  get limitedCount(): number {
    return this.#limited;
  }

  takes(id: string, parent?: TraceParent): boolean {
    const { sampler, ratio } = this.#config;
    return isWanted(sampler, { id, ratio, parent }) && this.#takeOne();
  }

  #takeOne(): boolean {
    const { perSecondMax } = this.#config;
    const now = this.#now();
    this.#left = Math.min(perSecondMax, this.#left + ((now - this.#filledAt) / 1_000) * perSecondMax);
    this.#filledAt = now;
    if (this.#left < 1) {
      this.#limited += 1;
      return false;
    }
    this.#left -= 1;
    return true;
  }
}

interface Candidate {
  readonly id: string;
  readonly ratio: number;
  readonly parent: TraceParent | undefined;
}

function isWanted(sampler: SamplerName, { id, ratio, parent }: Candidate): boolean {
  if (parent !== undefined && sampler.startsWith('parentbased_')) return parent.isSampled;
  if (sampler.endsWith('always_on')) return true;
  if (sampler.endsWith('always_off')) return false;
  return Number.parseInt(id.slice(-digits), 16) >= (1 - ratio) * range;
}
