import { OperatorError } from '../../../core/errors/operator-error.ts';
import { withinTime } from '../../waiting/within-time.ts';
import { keyLength } from './root-key.ts';

/**
 * The reason why a key service did not do what it was asked. `unreachable` and `throttled` pass by themselves, all
 * others last until somebody changes the key, its policy or a setting.
 */
export type KeyServiceTrouble = 'unreachable' | 'throttled' | 'denied' | 'disabled' | 'gone' | 'unusable';

/**
 * Thrown if the key service is unavailable, rejects a request or is misconfigured. The message is one line that says
 * what to do.
 */
export class KeyServiceError extends OperatorError {
  readonly trouble: KeyServiceTrouble;

  constructor(message: string, cause?: unknown, trouble: KeyServiceTrouble = 'unreachable') {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'KeyServiceError';
    this.trouble = trouble;
  }
}

/**
 * The time limit of a call, including signing in and retries. It is shorter than the time that a request waits for the
 * key service, so that the log shows the actual cause.
 */
export const callTimeoutMs = 4_000;
/** The time limit of one attempt, which leaves time for another one. */
export const attemptTimeoutMs = 1_900;
/** The maximum number of connections to a key service. */
export const connectionsMax = 8;

/**
 * Limits a call that a software development kit makes. The signal stops its requests. Kits do not stop everything, such
 * as signing in, so the call also fails at the limit by itself.
 */
export async function withinCallTime<T>(service: string, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = `${service} did not respond within ${callTimeoutMs / 1_000} seconds.`;
  return withinTime(call(AbortSignal.timeout(callTimeoutMs)), callTimeoutMs + 100, late);
}

/** Loads an optional package. If it is not installed, the error says how to install it. */
export async function importOptional<T>(service: string, packageName: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw new KeyServiceError(
      `A root key in ${service} requires the optional package ${packageName}, which is not installed. Run: npm install ${packageName}`,
      error,
      'unusable',
    );
  }
}

/** Returns the key in a response as a buffer that shares its memory, so that wiping one wipes both. */
export function toKey(value: unknown, service: string): Buffer {
  const bytes = bytesOf(value);
  if (bytes?.length === keyLength) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  throw new KeyServiceError(
    `The response from ${service} does not contain a 256-bit key. Check any proxy between it and this server.`,
  );
}

/**
 * Returns bytes that a response contains, or undefined for any other value. An SDK declares types of responses, but
 * does not check them.
 */
export function bytesOf(value: unknown): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined;
}

/** Returns a string that a response contains, or undefined for any other value. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
