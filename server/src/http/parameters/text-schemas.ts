import { Type } from 'typebox';

/**
 * The pattern of text that can be stored and returned. PostgreSQL text cannot contain NUL, and UTF-8 cannot encode half
 * a surrogate pair (RFC 3629 §3).
 */
export const storableText = String.raw`^[^\u0000\p{Cs}]*$`;

/** Returns the schema of text that can be stored unchanged. Lengths are counted in code points, as in PostgreSQL. */
export function plainText(options: {
  readonly minLength?: number;
  readonly maxLength: number;
  readonly description?: string;
}) {
  return Type.String({ ...options, pattern: storableText });
}

/**
 * Returns the schema of a map of texts with names chosen by the caller. The form of a name is part of the schema,
 * because the default key pattern of `Type.Record` stops at a line break and would let such a member through unchecked.
 */
export function textMap(limits: {
  readonly nameMax: number;
  readonly valueMax: number;
  readonly entriesMax: number;
  readonly description: string;
}) {
  const name = String.raw`^[^\p{Cc}\p{Cs}]{1,${limits.nameMax}}$`;
  return Type.Record(Type.String({ pattern: name }), plainText({ maxLength: limits.valueMax }), {
    maxProperties: limits.entriesMax,
    additionalProperties: false,
    description: limits.description,
  });
}
