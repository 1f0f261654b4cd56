import { InvalidArgumentError } from 'commander';
import { isUuid, parseTenantId, type TenantId } from '../core/identity/ids.ts';

/** Arguments that several commands take, read and checked. */
export function parseTenant(text: string): TenantId {
  return parseTenantId(parseId(text));
}

export function parseId(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text.toLowerCase();
}

export function wholeNumberFrom(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}
