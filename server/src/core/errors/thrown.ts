import { membersOf } from '../objects/members-of.ts';

/** What was thrown, as an error: anything can be thrown, and libraries do. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('Something was thrown that is no error.', { cause: thrown });
}

/** The code that errors of Node.js and of many libraries have. */
export function codeOf(thrown: unknown): string | undefined {
  const { code } = membersOf(thrown);
  return typeof code === 'string' ? code : undefined;
}

/** The name of what was thrown, for logs: unlike a message it holds no value. */
export function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : 'unknown';
}
