import { type TSchema, Type } from 'typebox';

/** An optional member. Some clients send null instead of omitting a member, which means the same. */
export function orNull<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
