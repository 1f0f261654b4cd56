import { nameOf } from './thrown.ts';

/**
 * A problem in the operator's environment. The message says what to do and never quotes a value, so it may be logged.
 */
export class OperatorError extends Error {
  /** True if another attempt would do harm. The program then exits with status 2, so that nothing restarts it. */
  get isFinal(): boolean {
    return false;
  }
}

/**
 * Returns the reason for a failure, for logs. Messages for operators may be logged. Any other message might contain a
 * value.
 */
export function reasonOf(error: unknown): string {
  return error instanceof OperatorError ? error.message : nameOf(error);
}
