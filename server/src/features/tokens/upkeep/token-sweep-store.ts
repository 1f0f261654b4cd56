import type { TenantId, TokenId } from '../../../core/identity/ids.ts';
import { type AuditEvent, successEvent } from '../../../platform/audit/record/audit-event.ts';
import { recordAllInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { countSlot } from '../model/token-shelf.ts';
import { isHeld } from '../model/legal-hold-sql.ts';
import { removeWithGone } from '../model/token-removal-sql.ts';
import { nothingShown, tokenEvent } from '../model/token-event.ts';

/**
 * Deletes expired tokens with their terms and counts, like a deletion does. A token that is being changed is left for
 * the next run, and one under a legal hold until the hold ends.
 */
const deleteExpiredText = `with gone as (
    delete from tokens where tenant_id = $1 and id = any (array(
      select id from tokens t where tenant_id = $1 and expires_at <= now() and not ${isHeld('t')}
      limit $2 for update skip locked))
    and expires_at <= now()
    returning id, type, containers, terms, created_at
  ), ${removeWithGone(3)}
  select id, type, containers from gone`;

/** Removes expired tokens and records each removal. */
export async function deleteExpiredTokens(tx: Transaction, tenantId: TenantId, limit: number): Promise<number> {
  const gone = await tx.query<{ id: TokenId; type: string; containers: string[] }>({
    text: deleteExpiredText,
    values: [tenantId, limit, countSlot()],
  });
  if (gone.length === 0) return 0;
  const events = gone.map((token) => tokenEvent(token, 'expire', nothingShown));
  await recordAllInTransaction(tx, tenantId, 'system', events);
  return gone.length;
}

const deleteExpiredCodesText = `with gone as (
    delete from token_cvcs where tenant_id = $1 and token_id = any (array(
      select token_id from token_cvcs where tenant_id = $1 and expires_at <= now() limit $2 for update skip locked))
    and expires_at <= now()
    returning token_id
  )
  select gone.token_id as id, tokens.containers
  from gone left join tokens on tokens.tenant_id = $1 and tokens.id = gone.token_id`;

/**
 * Removes expired card verification codes and records each removal, so that the removal of a code can be proven. The
 * keys that could open them no longer exist.
 */
export async function deleteExpiredCodes(tx: Transaction, tenantId: TenantId, limit: number): Promise<number> {
  const gone = await tx.query<{ id: TokenId; containers: string[] | null }>({
    text: deleteExpiredCodesText,
    values: [tenantId, limit],
  });
  if (gone.length === 0) return 0;
  await recordAllInTransaction(tx, tenantId, 'system', gone.map(codeExpired));
  return gone.length;
}

/** A row without a token has no containers. Such a row should not exist, but it must not stop the sweep. */
function codeExpired({ id, containers }: { readonly id: TokenId; readonly containers: string[] | null }): AuditEvent {
  return {
    ...successEvent('token', id, 'property_expired'),
    ...(containers === null ? {} : { containers }),
    details: { fields: ['data.cvc'] },
  };
}
