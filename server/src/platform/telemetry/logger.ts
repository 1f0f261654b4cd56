import { pino } from 'pino';

/** Every field that a log line may have. A value that does not fit one of these is not logged. */
export interface LogFields {
  readonly trace_id?: string;
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

const allowed: ReadonlySet<string> = new Set<keyof Required<LogFields>>([
  'trace_id',
  'method',
  'route',
  'status',
  'duration_ms',
  'tenant_id',
  'application_id',
  'key_id',
  'code',
  'error',
  'sql_state',
  'stack',
  'advice',
  'url',
  'root_key',
  'count',
  'seconds',
  'job',
  'destination',
  'setting',
  'value',
]);

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
  for (const [name, value] of Object.entries(fields)) if (allowed.has(name)) picked[name] = value;
  return picked;
}
