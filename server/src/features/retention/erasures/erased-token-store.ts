import type { SearchQuery } from '../../../core/search/search-query.ts';
import type { TenantId, TokenId } from '../../../core/identity/ids.ts';
import type { AuditDetails } from '../../../platform/audit/record/audit-event.ts';
import { recordAllInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { Parameters } from '../../../platform/database/statement-parameters.ts';
import type { TenantKeyring } from '../../../platform/keyring/keys/tenant-keyring.ts';
import { countSlot, isHeld, matchingTokens, removeWithGone, tokenEvent } from '../../tokens/index.ts';
import { erasedMax } from './erasure.ts';

/** Tokens that match, and how many of those a legal hold keeps. `tokens` are the others. */
export interface MatchCounts {
  readonly tokens: number;
  readonly held: number;
}

/** Counts and removes the tokens of an erasure. */
export class ErasedTokenStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;
  readonly #keys: TenantKeyring;

  constructor(tx: Transaction, tenantId: TenantId, keys: TenantKeyring) {
    this.#tx = tx;
    this.#tenantId = tenantId;
    this.#keys = keys;
  }

  /** Counts what matches, up to one more than an erasure may remove. */
  async count(query: SearchQuery): Promise<MatchCounts> {
    const parameters = new Parameters(this.#tenantId);
    const matching = matchingTokens(query, this.#keys, parameters);
    const [row] = await this.#tx.query<MatchCounts>({
      text: `select (count(*) filter (where not is_held))::float8 as tokens, (count(*) filter (where is_held))::float8 as held
        from (select ${isHeld('t')} as is_held from ${matching} limit ${erasedMax + 1}) as matching`,
      values: parameters.values,
    });
    return row ?? { tokens: 0, held: 0 };
  }

  /**
   * Removes up to `limit` tokens with everything that belongs to them, and records each. A token that somebody is
   * changing is left for a later call. Returns how many were removed.
   */
  async remove(
    query: SearchQuery,
    { limit, details }: { readonly limit: number; readonly details: AuditDetails },
  ): Promise<number> {
    const parameters = new Parameters(this.#tenantId);
    const matching = matchingTokens(query, this.#keys, parameters);
    const most = parameters.add(limit);
    const slot = Number(parameters.add(countSlot()).slice(1));
    const gone = await this.#tx.query<{ id: TokenId; type: string; containers: string[] }>({
      text: `with gone as (
          delete from tokens where tenant_id = $1 and id = any (array(
            select t.id from ${matching} and not ${isHeld('t')} limit ${most} for update of t skip locked))
          returning id, type, containers, terms, created_at
        ), ${removeWithGone(slot)}
        select id, type, containers from gone`,
      values: parameters.values,
    });
    if (gone.length === 0) return 0;
    const events = gone.map((token) => tokenEvent(token, 'delete', { transform: undefined, details }));
    await recordAllInTransaction(this.#tx, this.#tenantId, 'system', events);
    return gone.length;
  }
}
