import type { HeaderField } from '../../platform/outbound/destination-exchange.ts';

/** The cookie names of this vault. They are not sent to destinations, and destinations cannot set them. */
const ownName = /^(?:__host-|__secure-)?strongroom/i;

/**
 * Removes the vault's own cookies from a `Cookie` header. Returns no field if nothing is left. Other headers are
 * unchanged.
 */
export function withoutOwnCookies(field: HeaderField): HeaderField[] {
  if (field.name.toLowerCase() !== 'cookie') return [field];
  const others = field.value.split(';').filter((pair) => !ownName.test(pair.trim()));
  return others.length === 0 ? [] : [{ name: field.name, value: others.join(';').trim() }];
}

export function setsOwnCookie({ name, value }: HeaderField): boolean {
  return name.toLowerCase() === 'set-cookie' && ownName.test(value.trim());
}
