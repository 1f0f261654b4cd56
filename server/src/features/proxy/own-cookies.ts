import type { HeaderField } from '../../platform/outbound/destination-exchange.ts';

/** The names that this vault gives to cookies of its own. They go to no destination, and no destination sets one. */
const ownName = /^(?:__host-|__secure-)?strongroom/i;

/** A `Cookie` header without our own; nothing where nothing is left of it. Other headers stay as they are. */
export function withoutOwnCookies(field: HeaderField): HeaderField[] {
  if (field.name.toLowerCase() !== 'cookie') return [field];
  const others = field.value.split(';').filter((pair) => !ownName.test(pair.trim()));
  return others.length === 0 ? [] : [{ name: field.name, value: others.join(';').trim() }];
}

export function setsOwnCookie({ name, value }: HeaderField): boolean {
  return name.toLowerCase() === 'set-cookie' && ownName.test(value.trim());
}
