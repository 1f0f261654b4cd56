import type { TenantId } from '../../core/identity/ids.ts';

/** The id becomes part of SQL text here, so it is checked again at the last moment. */
export function beginFor(tenantId: TenantId): string {
  if (!/^[0-9a-f-]{36}$/.test(tenantId)) throw new TypeError('A tenant id must be a UUID.');
  return `begin isolation level read committed; select set_config('app.tenant_id', '${tenantId}', true)`;
}

export function beginAs(
  role: 'strongroom_system' | 'strongroom_portal' | 'strongroom_sealer' | 'strongroom_worker',
): string {
  return `begin isolation level read committed; set local role ${role}`;
}

/** The name becomes part of SQL text. */
export function quotePrepared(name: string): string {
  if (!/^[0-9a-z/-]{1,190}$/.test(name)) throw new TypeError('The name of a prepared transaction is not valid.');
  return `'${name}'`;
}

/** To be sent with the beginning of a transaction. */
export function toLimit(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '' : `; set local statement_timeout = ${milliseconds}`;
}
