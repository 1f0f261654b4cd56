/** What a caller may use as a trace id: it appears in logs and in the audit log, so it must be short and plain. */
const acceptable = /^[A-Za-z0-9._:-]{1,100}$/;

export const traceIdHeader = 'bt-trace-id';

export function chooseTraceId(request: {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}): string {
  const given = request.headers[traceIdHeader];
  return typeof given === 'string' && acceptable.test(given) ? given : makeTraceId();
}

/**
 * RFC 9562 §5.7, a UUID that begins with the time. The audit log has an index on it: random ids would land all over that index,
 * which cost 6 µs a record instead of 1.
 */
export function makeTraceId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
