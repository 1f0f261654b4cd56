import type { ErrorCode, FieldErrors } from '../../core/errors/domain-error.ts';

/** The keys that examples are sent with: one of each kind of application, and that of a session nobody has authorized. */
export const exampleKeys = ['private', 'reveal', 'public', 'management', 'session'] as const;
export type ExampleKey = (typeof exampleKeys)[number];

export interface ExampleRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent instead of the path of the operation. */
  readonly target?: string;
}

/** Why a request fails, in the words of the vault. */
export interface ExampleProblem {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors?: FieldErrors;
}

/**
 * A request and what the vault responds. The reference shows it, and `api-examples.api.test.ts` sends it to a vault and
 * compares: ids, times and secrets may differ, nothing else.
 */
export interface ApiExample {
  /** What is special about this request, in a few words. */
  readonly summary: string;
  readonly status: number;
  /** More to say, in a sentence. */
  readonly description?: string;
  readonly request?: ExampleRequest;
  /** The body does not fit its schema, so it is not shown as a request. */
  readonly isMalformed?: boolean;
  /** The body of a success: JSON, or text if the route returns something else. */
  readonly response?: unknown;
  /** Of that body, where the route returns several. */
  readonly mediaType?: string;
  readonly problem?: ExampleProblem;
  /**
   * What happens before it: the log is sealed, the tenant is deleted and a server has not heard of it yet, or the tenant demands
   * approvals, its application reveals and its member only reads.
   */
  readonly given?: 'sealed-log' | 'deleted-tenant' | 'approvals';
  /** By default a private key for tokens, and a management key for everything else. */
  readonly key?: ExampleKey;
}

export type ProblemExample = ApiExample & { readonly problem: ExampleProblem };

export function isProblemExample(example: ApiExample): example is ProblemExample {
  return example.problem !== undefined;
}

/** The message of every validation error; `errors` says the rest. */
export function invalid(errors: FieldErrors): ExampleProblem {
  return { code: 'validation-failed', detail: 'The request did not pass validation.', errors };
}

/** Examples as OpenAPI lists them, by a name made from the summary: `store-a-card`. */
export function toNamedExamples<Example extends ApiExample>(
  examples: readonly Example[],
  toValue: (example: Example) => unknown,
): Record<string, object> {
  return Object.fromEntries(
    examples.map((example) => [
      example.summary.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
      { summary: example.summary, ...describe(example), value: toValue(example) },
    ]),
  );
}

function describe({ description }: ApiExample): object {
  return description === undefined ? {} : { description };
}
