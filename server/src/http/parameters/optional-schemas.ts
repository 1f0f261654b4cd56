import { type TSchema, Type } from 'typebox';

/** Makes a member optional. Some clients send null instead of omitting a member, which means the same. */
export function orNull<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
