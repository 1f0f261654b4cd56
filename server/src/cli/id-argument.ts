import { InvalidArgumentError } from 'commander';
import { isUuid, parseTenantId, type TenantId } from '../core/identity/ids.ts';

export function parseTenant(text: string): TenantId {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be a UUID.');
  return parseTenantId(text);
}

export function parseId(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text.toLowerCase();
}
