/** An error response from the vault. */
export class Problem extends Error {
  readonly status: number;
  /** The last part of the problem's type, such as `sign-in-too-old`. */
  readonly kind: string;
  readonly traceId: string | undefined;
  /** Error messages by field name. */
  readonly fields: Readonly<Record<string, readonly string[]>>;

  constructor(status: number, body: unknown) {
    const members: Partial<Record<string, unknown>> = typeof body === 'object' && body !== null ? { ...body } : {};
    const text = (name: string) => (typeof members[name] === 'string' ? members[name] : undefined);
    super(text('detail') ?? text('title') ?? `The vault responded with status ${status}.`);
    this.name = 'Problem';
    this.status = status;
    this.kind = text('type')?.split('/').at(-1) ?? 'unknown';
    this.traceId = text('trace_id');
    this.fields = toFields(members['errors']);
  }
}

function toFields(errors: unknown): Record<string, readonly string[]> {
  if (typeof errors !== 'object' || errors === null) return {};
  return Object.fromEntries(
    Object.entries(errors).map(([name, messages]) => [name, Array.isArray(messages) ? messages.map(String) : []]),
  );
}
