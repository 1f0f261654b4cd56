import { type Affected, affectedMax, type Fact, type FactDefinition, type Observation } from './fact.ts';

const unread = 'This could not be read. The command that took the evidence said why.';
const partly = 'Some of it could not be read.';

/**
 * Adds up what was found about one fact, tenant by tenant. It keeps numbers and a limited list, however many there are.
 */
export class FactTally {
  readonly #definition: FactDefinition;
  readonly #figure: Record<string, number>;
  readonly #affected: Affected[] = [];
  #affectedTotal = 0;
  #failures = 0;
  #readAt = new Date(0);

  constructor(definition: FactDefinition) {
    this.#definition = definition;
    this.#figure = Object.fromEntries(Object.keys(definition.figure).map((name) => [name, 0]));
  }

  add({ figure, affected, affectedTotal = affected.length }: Observation, readAt: Date): void {
    for (const [name, merge] of Object.entries(this.#definition.figure)) {
      const before = this.#figure[name] ?? 0;
      const value = figure[name] ?? 0;
      this.#figure[name] = merge === 'sum' ? before + value : Math.max(before, value);
    }
    this.#affected.push(...affected.slice(0, affectedMax - this.#affected.length));
    this.#affectedTotal += affectedTotal;
    this.#readAt = readAt;
  }

  /** Notes that the fact could not be read once. */
  addFailure(readAt: Date): void {
    this.#failures += 1;
    this.#readAt = readAt;
  }

  finish(): Fact {
    const { weight, holds, found } = this.#definition;
    const figure = { ...this.#figure };
    const isFound = this.#affectedTotal > 0 && weight !== undefined;
    const sentence = isFound && found !== undefined ? found(figure, this.#affectedTotal) : holds(figure);
    const isPartial = isFound && this.#failures > 0;
    const rest = { definition: this.#definition, figure, affected: this.#affected, affectedTotal: this.#affectedTotal };
    if (this.#failures === 0 || isFound)
      return {
        ...rest,
        verdict: isFound ? weight : 'holds',
        sentence: isPartial ? `${sentence} ${partly}` : sentence,
        readAt: this.#readAt,
      };
    // What could not be read is never reported as good.
    return { ...rest, verdict: 'attention', sentence: unread, readAt: this.#readAt };
  }
}

/** Returns true for the sentence of a fact that could not be read. */
export function isUnread(sentence: string): boolean {
  return sentence === unread;
}

/** Returns true for the sentence of a fact of which a part could not be read, so that its figure is too small. */
export function isPartlyRead(sentence: string): boolean {
  return sentence.endsWith(partly);
}
