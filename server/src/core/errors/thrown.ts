import { membersOf } from '../objects/members-of.ts';

/** Returns the thrown value as an error. Anything can be thrown, and some libraries throw other values. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('Something was thrown that is no error.', { cause: thrown });
}

/** Returns the `code` that Node.js and many libraries set on their errors. */
export function codeOf(thrown: unknown): string | undefined {
  const { code } = membersOf(thrown);
  return typeof code === 'string' ? code : undefined;
}

/** Returns the name of the error, for logs. Unlike a message, it contains no value. */
export function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : 'unknown';
}
