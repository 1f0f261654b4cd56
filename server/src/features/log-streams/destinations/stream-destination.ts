import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { EncodedLine } from '../format/encoded-line.ts';

/** A receiver of a stream. */
export interface StreamDestination {
  /** Resolves when the receiver has accepted every line. Otherwise all of them are sent again. */
  send(lines: readonly EncodedLine[]): Promise<void>;
  close(): void;
}

/** A receiver did not accept lines. The message contains no text of the receiver. */
export class NotAccepted extends OperatorError {}

/** Returns the reason for a failure, for logs and the database: our own message, or the code of the system. */
export function failureOf(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  const { code, name } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { code: undefined, name: 'unknown' };
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : name;
}
