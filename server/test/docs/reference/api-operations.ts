/** An API operation as a running vault describes it. */
export interface ApiOperation {
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly permissions: readonly string[];
  readonly rateLimit: string;
}

export interface ApiTag {
  readonly name: string;
  readonly description: string;
}

interface Described {
  readonly tags: readonly ApiTag[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}
interface DescribedOperation {
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly [{ readonly apiKey: readonly string[] }];
}

export function tagsOf(document: unknown): readonly ApiTag[] {
  return (document as Described).tags;
}

export function operationsOf(document: unknown): ApiOperation[] {
  return Object.entries((document as Described).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, description, tags, security }]) => ({
      method: method.toUpperCase(),
      path,
      tag: tags[0] ?? '',
      summary,
      permissions: security[0].apiKey,
      rateLimit: /\*\*Rate limit:\*\* `([\w-]+)`/.exec(description)?.[1] ?? '',
    })),
  );
}
