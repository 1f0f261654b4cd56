import { nameOf } from './thrown.ts';

/**
 * A problem in the operator's environment. The message says what to do and never quotes a value, so it may be logged.
 */
export class OperatorError extends Error {}

/**
 * Returns the reason for a failure, for logs. Messages for operators may be logged. Any other message might contain a
 * value.
 */
export function reasonOf(error: unknown): string {
  return error instanceof OperatorError ? error.message : nameOf(error);
}
