import { nameOf } from './thrown.ts';

/** Something in the operator's environment is wrong. The message says what to do and never quotes a value, so it may be logged. */
export class OperatorError extends Error {}

/** Why something failed, for logs. Messages for operators may be logged. Any other message might hold a value. */
export function reasonOf(error: unknown): string {
  return error instanceof OperatorError ? error.message : nameOf(error);
}
