/** What a caller may use as a trace id: it appears in logs and in the audit log, so it must be short and plain. */
const acceptable = /^[A-Za-z0-9._:-]{1,100}$/;

export const traceIdHeader = 'bt-trace-id';

export function chooseTraceId(request: {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}): string {
  const given = request.headers[traceIdHeader];
  return typeof given === 'string' && acceptable.test(given) ? given : crypto.randomUUID();
}
