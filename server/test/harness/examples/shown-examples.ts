import type { TestResponse } from '../test-vault.ts';
import { type Bindings, listDifferences } from './example-match.ts';

interface ShownResponse {
  readonly $ref?: string;
  readonly content?: Readonly<
    Record<
      string,
      { readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>> }
    >
  >;
}

interface DescribedOperation {
  readonly description: string;
  readonly responses: Readonly<Record<string, ShownResponse>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, ShownResponse>> };
}

/** An operation as named in the API description. */
export interface OperationName {
  readonly method: string;
  readonly template: string;
}

interface ShownExample {
  /**
   * The position in the description. An example of a shared response has the same position for all operations that
   * refer to it.
   */
  readonly place: string;
  readonly mediaType: string;
  readonly summary: string;
  readonly value: unknown;
}

/** The response examples in the API description. Each must be seen in a real response. */
export class ShownExamples {
  readonly #document: Document;
  readonly #seen = new Set<string>();

  constructor(document: unknown) {
    this.#document = document as Document;
  }

  /**
   * Lists the differences between an actual response and the example with this summary, or the most similar example.
   */
  compare(operation: OperationName, answer: TestResponse, bindings: Bindings, summary?: string): string[] {
    const status = this.#statusOf(operation, answer.status);
    if (status === undefined) return [`${answer.status} is not described`];
    const shown = this.#list(operation, status);
    if (shown.length === 0) {
      this.#seen.add(toPlace(operation, status));
      return answer.text === '' ? [] : ['there is a body, but no example of it'];
    }
    const [mediaType = ''] = (answer.headers.get('content-type') ?? '').split(';');
    const candidates = shown.filter(
      (one) => [mediaType, '*/*'].includes(one.mediaType) && one.summary === (summary ?? one.summary),
    );
    const all = candidates.map(({ place, value }) => {
      const trial = bindings.copy();
      const differences = listDifferences(toInstance(value, operation.template), answer.body ?? answer.text, trial);
      if (differences.length === 0) {
        bindings.take(trial);
        this.#seen.add(place);
      }
      return differences;
    });
    const [nearest = [`${mediaType} has no such example: ${answer.text}`]] = all.toSorted(
      (a, b) => a.length - b.length,
    );
    return nearest;
  }

  isDescribed(operation: OperationName, status: number): boolean {
    return this.#statusOf(operation, status) !== undefined;
  }

  textOf(operation: OperationName): string {
    return this.#find(operation).description;
  }

  /** Lists an operation's examples, and its statuses without examples, that were never seen. */
  listUnseen(operation: OperationName): string[] {
    return Object.keys(this.#find(operation).responses).flatMap((status) => {
      const shown = this.#list(operation, status);
      const places = shown.length === 0 ? [toPlace(operation, status)] : shown.map(({ place }) => place);
      return places.filter((place) => !this.#seen.has(place));
    });
  }

  #find({ method, template }: OperationName): DescribedOperation {
    const found = this.#document.paths[template]?.[method.toLowerCase()];
    if (found === undefined) throw new Error(`${method} ${template} is not described.`);
    return found;
  }

  #statusOf(operation: OperationName, status: number): string | undefined {
    const { responses } = this.#find(operation);
    return [String(status), 'default'].find((one) => one in responses);
  }

  #list(operation: OperationName, status: string): ShownExample[] {
    const response = this.#find(operation).responses[status];
    const [, shared] = /^#\/components\/responses\/(\w+)$/.exec(response?.$ref ?? '') ?? [];
    const { content = {} } = (shared === undefined ? response : this.#document.components.responses[shared]) ?? {};
    const place = shared ?? toPlace(operation, status);
    return Object.entries(content).flatMap(([mediaType, { examples = {} }]) =>
      Object.entries(examples).map(([name, example]) => ({
        place: `${isUnrouted(example.value) ? 'any operation' : place}: ${name}`,
        mediaType,
        ...example,
      })),
    );
  }
}

function toPlace({ method, template }: OperationName, status: string): string {
  return `${method} ${template} ${status}`;
}

/** Returns true for a problem raised before routing, which is the same for all routes. */
function isUnrouted(value: unknown): boolean {
  return (value as { readonly instance?: string } | null)?.instance === 'unknown';
}

/** Replaces the route in a shared example, which can name only one of the routes that share it. */
function toInstance(value: unknown, template: string): unknown {
  const problem = value as { readonly instance?: string; readonly proxy_error?: object } | null;
  if (typeof problem !== 'object' || problem === null) return value;
  if (problem.proxy_error !== undefined) return { proxy_error: { ...problem.proxy_error, instance: template } };
  return problem.instance === undefined || isUnrouted(value) ? value : { ...problem, instance: template };
}
