import { Type } from 'typebox';

/** PostgreSQL keeps no NUL, and UTF-8 has no form for half a surrogate pair (RFC 3629 §3): neither could be given back. */
const storable = String.raw`^[^\u0000\p{Cs}]*$`;

/** Text that can be stored as it is. Lengths count code points, as PostgreSQL does. */
export function plainText(options: { readonly minLength?: number; readonly maxLength: number }) {
  return Type.String({ ...options, pattern: storable });
}

/**
 * A map of texts under names of the caller's choice. The form of a name is part of the schema: the key pattern that
 * `Type.Record` has by itself stops at a line end, and would let such a member pass unseen.
 */
export function textMap(limits: { readonly nameMax: number; readonly valueMax: number; readonly entriesMax: number }) {
  const name = String.raw`^[^\p{Cc}\p{Cs}]{1,${limits.nameMax}}$`;
  return Type.Record(Type.String({ pattern: name }), plainText({ maxLength: limits.valueMax }), {
    maxProperties: limits.entriesMax,
    additionalProperties: false,
  });
}
