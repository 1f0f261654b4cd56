import type { TraceParent } from '../../platform/telemetry/tracer.ts';

/**
 * The header's format in W3C Trace Context §3.2: version, trace id, parent id and flags. Later versions may append
 * more.
 */
const form =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-[\x20-\x7e]{0,200})?$/;
const firstVersionLength = 55;
const sampledFlag = 1;

/** Parses the header. Returns undefined for invalid or repeated headers, and the trace then begins here. */
export function parseTraceParent(header: string | readonly string[] | undefined): TraceParent | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId = '', spanId = '', flags = ''] = form.exec(header) ?? [];
  if (version === undefined || (version === '00' && header.length !== firstVersionLength)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) === sampledFlag };
}
