import { type TSchema, Type } from 'typebox';

/** A member that may be left out. Clients write null where they leave something out, and it means the same. */
export function orNull<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
