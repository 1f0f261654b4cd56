import type { ErrorCode, FieldErrors } from '../../core/errors/domain-error.ts';

/**
 * The keys that examples are sent with. There is one for each kind of application, and one of a session that is not
 * authorized.
 */
export const exampleKeys = ['private', 'reveal', 'public', 'management', 'session'] as const;
export type ExampleKey = (typeof exampleKeys)[number];

export interface ExampleRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The target that is sent instead of the path of the operation. */
  readonly target?: string;
}

/** The reason why a request fails, in the words of the vault. */
export interface ExampleProblem {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors?: FieldErrors;
  readonly cell?: string;
}

/**
 * A request and the vault's response. The reference shows it, and `api-examples.api.test.ts` sends it to a vault and
 * compares the response. Ids, times and secrets are the only parts that may differ.
 */
export interface ApiExample {
  /** A few words about what is special in this request. */
  readonly summary: string;
  readonly status: number;
  /** An additional sentence. */
  readonly description?: string;
  readonly request?: ExampleRequest;
  /** True if the body does not match its schema. It is then not shown as a request. */
  readonly isMalformed?: boolean;
  /** The body of a success. It is JSON, or text if the route returns something else. */
  readonly response?: unknown;
  /** The media type of the response, if the route has several. */
  readonly mediaType?: string;
  readonly problem?: ExampleProblem;
  /**
   * The state before the request. For `sealed-log`, the log is sealed. For `deleted-tenant`, the tenant is deleted, but
   * a server does not know it yet. For `approvals`, the tenant requires approvals, its application has the transform
   * `reveal`, and its member is read-only. For `legal-hold`, a legal hold covers everything. For
   * `erased`, the erasure of the examples is finished.
   */
  readonly given?: 'sealed-log' | 'deleted-tenant' | 'approvals' | 'legal-hold' | 'erased';
  /** The key to use. The default is a private key for tokens, and a management key for everything else. */
  readonly key?: ExampleKey;
}

export type ProblemExample = ApiExample & { readonly problem: ExampleProblem };

export function isProblemExample(example: ApiExample): example is ProblemExample {
  return example.problem !== undefined;
}

/** Returns the problem of a validation error. The message is always the same, and `errors` has the details. */
export function invalid(errors: FieldErrors): ExampleProblem {
  return { code: 'validation-failed', detail: 'The request did not pass validation.', errors };
}

/** Returns examples in the form that OpenAPI expects, by a name made from the summary, such as `store-a-card`. */
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
