import { pino } from 'pino';

/** Every field that a log line may have. A value that does not fit one of these is not logged. */
export interface LogFields {
  readonly trace_id?: string;
  /** Of the trace that the request is recorded in, as OpenTelemetry names it. */
  readonly otel_trace_id?: string;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly duration_ms?: number;
  readonly tenant_id?: string;
  readonly application_id?: string;
  readonly key_id?: string;
  readonly user_id?: string;
  /** Of the problem that the response describes. */
  readonly code?: string;
  /** How many members of the body were ignored. */
  readonly unknown_members?: number;
  readonly error?: string;
  readonly sql_state?: string;
  readonly stack?: string;
  /** What to do about it, in our own words. */
  readonly advice?: string;
  readonly url?: string;
  readonly root_key?: string;
  readonly count?: number;
  readonly seconds?: number;
  readonly job?: string;
  readonly destination?: string;
  /** An operator's setting and its value, never a secret. */
  readonly setting?: string;
  readonly value?: string;
}

export interface Logger {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** One for every field, so that none is forgotten. */
const allowed: Readonly<Record<keyof LogFields, true>> = {
  trace_id: true,
  otel_trace_id: true,
  method: true,
  route: true,
  status: true,
  duration_ms: true,
  tenant_id: true,
  application_id: true,
  key_id: true,
  user_id: true,
  code: true,
  unknown_members: true,
  error: true,
  sql_state: true,
  stack: true,
  advice: true,
  url: true,
  root_key: true,
  count: true,
  seconds: true,
  job: true,
  destination: true,
  setting: true,
  value: true,
};

/** Lines are written in batches: a write for each was 6 % of the server's cost of a create. Errors are written at once. */
const bytesTogether = 4_096;
const flushEveryMs = 100;

/** JSON lines on standard error, so that standard output is free for command output. */
export function createLogger(level: 'info' | 'warn' | 'error' | 'silent'): Logger {
  const destination = pino.destination({ fd: 2, sync: false, minLength: bytesTogether, periodicFlush: flushEveryMs });
  const lines = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return {
    info: (message, fields = {}) => lines.info(pick(fields), message),
    warn: (message, fields = {}) => lines.warn(pick(fields), message),
    error: (message, fields = {}) => {
      lines.error(pick(fields), message);
      destination.flush();
    },
  };
}

/** The compiler enforces the list for our own calls; this enforces it for objects with more than their type says. */
function pick(fields: LogFields): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (Object.hasOwn(allowed, name)) picked[name] = value;
  return picked;
}
