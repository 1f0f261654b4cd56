import type { Transform } from '../../core/access/access-rule.ts';
import { requireAccess, requireAccessToEach } from '../../core/access/require-access.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { TokenId } from '../../core/identity/ids.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { type EntityType, type Operation, toAuditRow } from '../../platform/audit/audit-event.ts';
import type { AuditLog } from '../../platform/audit/audit-log.ts';
import type { Keyring } from '../../platform/keyring/keyring.ts';
import type { NewToken, StoredToken, VisibleToken } from './token.ts';
import type { TokenStore } from './token-store.ts';

/** Looks at a token again this often when others keep changing it under a request. */
const attemptsMax = 5;

export class TokenService {
  readonly #store: TokenStore;
  readonly #keyring: Keyring;
  readonly #audit: AuditLog;

  constructor(parts: { store: TokenStore; keyring: Keyring; audit: AuditLog }) {
    this.#store = parts.store;
    this.#keyring = parts.keyring;
    this.#audit = parts.audit;
  }

  /** Stores a token and its audit record together: neither exists without the other. */
  async create(caller: Caller, wanted: NewToken): Promise<VisibleToken> {
    const transform = requireAccessToEach(caller.grants, 'token:create', wanted.containers);
    const keys = await this.#keyring.forTenant(caller.tenantId);
    const data = keys.seal(wanted.data.reveal(), {
      tokenId: wanted.id,
      field: 'data',
      recordVersion: 1,
      type: wanted.type,
    });
    const token = { ...wanted, data, createdBy: caller.applicationId };
    const audit = toAuditRow(caller, tokenEvent(wanted, 'create'));

    const outcome = await this.#store.insert(caller.tenantId, { token, audit });
    if (!outcome.isInserted) throw new DomainError('token-id-taken', 'A token with this id exists already.');
    const stored = {
      ...token,
      tenantId: caller.tenantId,
      version: 1,
      createdAt: outcome.createdAt,
      modifiedBy: null,
      modifiedAt: null,
    };
    return show(stored, transform, wanted.data);
  }

  /** The answer leaves only after the record of the reading is durable. */
  async get(caller: Caller, id: TokenId): Promise<VisibleToken> {
    const token = await this.#get(caller, id);
    const transform = requireAccess(caller.grants, 'token:read', token.containers);
    const [data] = await Promise.all([this.#open(token), this.#audit.append(caller, tokenEvent(token, 'read'))]);
    return show(token, transform, data);
  }

  async delete(caller: Caller, id: TokenId): Promise<void> {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const token = await this.#get(caller, id);
      requireAccess(caller.grants, 'token:delete', token.containers);
      // Only the version that was judged is deleted: it may have moved to another container meanwhile.
      if (await this.#store.delete(token, toAuditRow(caller, tokenEvent(token, 'delete')))) return;
    }
    throw new DomainError('version-conflict', 'The token is being changed by others. Try again.');
  }

  async #get(caller: Caller, id: TokenId): Promise<StoredToken> {
    const token = await this.#store.find(caller.tenantId, id);
    if (token === undefined) throw new DomainError('not-found', 'There is no such token.');
    return token;
  }

  async #open(token: StoredToken): Promise<Sensitive<string>> {
    const keys = await this.#keyring.forRecord(token.tenantId, token.data);
    const { id: tokenId, version: recordVersion, type } = token;
    return new Sensitive(keys.open(token.data, { tokenId, field: 'data', recordVersion, type }));
  }
}

function show(token: StoredToken, transform: Transform, data: Sensitive<string>): VisibleToken {
  return { ...token, data: transform === 'reveal' ? data : undefined };
}

function tokenEvent(token: { id: TokenId; type: string; containers: readonly string[] }, operation: Operation) {
  return {
    entityType: entityTypes.get(token.type) ?? 'token',
    entityId: token.id,
    operation,
    outcome: 'success' as const,
    containers: token.containers,
  };
}

const entityTypes: ReadonlyMap<string, EntityType> = new Map([
  ['card', 'card'],
  ['bank', 'bank'],
]);
