import type { AccessRule } from '../../core/access/access-rule.ts';
import { toRules } from '../../core/access/decide-access.ts';
import { findExcess } from '../../core/access/find-excess.ts';
import type { Permission } from '../../core/access/permission.ts';
import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../core/identity/caller.ts';
import { type AuditEvent, type Operation, successEvent } from '../../platform/audit/audit-event.ts';
import { recordInTransaction } from '../../platform/audit/audit-log.ts';
import { toRightsDetails } from '../../platform/audit/change-details.ts';
import type { Database } from '../../platform/database/database.ts';
import { generateApiKey, generateNonce, parseNonce } from '../../platform/keyring/api-key.ts';
import type { SystemKeys } from '../../platform/keyring/system-keys.ts';
import { ApplicationStore, requireValidSettings } from '../applications/index.ts';
import { describeExcess } from './session-excess.ts';
import { SessionStore } from './session-store.ts';

const lifetimeSeconds = 3 * 60;
const lifetimeMaxMs = 24 * 60 * 60 * 1_000;

export interface NewSession {
  readonly sessionKey: string;
  readonly nonce: string;
  readonly expiresAt: Date;
}

export interface SessionGrant {
  readonly nonce: string;
  readonly permissions: readonly Permission[];
  readonly rules: readonly AccessRule[];
  readonly expiresAt: Date | undefined;
}

/** Sessions: a browser creates one with a public key, and a server with a private key authorizes it. */
export class SessionService {
  readonly #database: Database;
  readonly #systemKeys: SystemKeys;

  constructor(parts: { database: Database; systemKeys: SystemKeys }) {
    this.#database = parts.database;
    this.#systemKeys = parts.systemKeys;
  }

  async create(caller: KeyCaller): Promise<NewSession> {
    if (caller.applicationType !== 'public' || caller.session !== undefined) {
      throw new DomainError('forbidden', 'Only the key of a public application can create a session.');
    }
    const { tenantId, applicationId } = caller;
    const nonce = generateNonce();
    return this.#database.forTenant(tenantId, async (tx) => {
      const key = generateApiKey(await new ApplicationStore(tx, tenantId).keyEnvironment(), 'sess');
      const expiresAt = await new SessionStore(tx, tenantId).insert({
        id: key.id,
        applicationId,
        secretHash: this.#systemKeys.hashCredential(key.secret),
        nonceHash: this.#systemKeys.hashCredential(nonce.secret),
        lifetimeSeconds,
      });
      await recordInTransaction(tx, tenantId, caller, sessionEvent(key.id, 'create'));
      return { sessionKey: key.text, nonce: nonce.text, expiresAt };
    });
  }

  /** One winner per nonce, even with concurrent requests. */
  async authorize(caller: KeyCaller, grant: SessionGrant): Promise<void> {
    if (caller.applicationType !== 'private' || caller.session !== undefined) {
      throw new DomainError('forbidden', 'Only the key of a private application can authorize a session.');
    }
    requireSensible(grant);
    requireWithin(caller, grant);
    const secret = parseNonce(grant.nonce);
    if (secret === undefined) throw unknownNonce();
    const nonceHash = this.#systemKeys.hashCredential(secret);
    await this.#database.forTenant(caller.tenantId, async (tx) => {
      const store = new SessionStore(tx, caller.tenantId);
      const id = await store.authorize(nonceHash, {
        ...grant,
        authorizedBy: caller.applicationId,
        authorizedKey: caller.keyId,
      });
      if (id === undefined) {
        throw (await store.isUsed(nonceHash))
          ? new DomainError('nonce-used', 'The nonce has been used already.', { found: {} })
          : unknownNonce();
      }
      await recordInTransaction(tx, caller.tenantId, caller, {
        ...sessionEvent(id, 'authorize'),
        details: toRightsDetails(undefined, grant),
      });
    });
  }
}

/** A session runs in a browser, but its permissions are those of its authorizer's type: a private application. */
function requireSensible({ permissions, rules, expiresAt }: SessionGrant): void {
  requireValidSettings('private', { permissions, rules });
  if (expiresAt === undefined) return;
  const aheadMs = expiresAt.getTime() - Date.now();
  if (aheadMs <= 0 || aheadMs > lifetimeMaxMs)
    throw invalidField('expires_at', 'must be in the future, at most 24 hours from now');
}

/** A session cannot have more than its authorizer: more is rejected at once, since it would silently get less later. */
function requireWithin(caller: KeyCaller, { permissions, rules }: SessionGrant): void {
  const excess = findExcess(toRules(permissions, rules), caller.grants.rules);
  if (excess !== undefined) throw new DomainError('forbidden', describeExcess(excess));
}

function sessionEvent(id: string, operation: Operation): AuditEvent {
  return successEvent('session', id, operation);
}

function unknownNonce(): DomainError {
  return new DomainError('not-found', 'There is no session with this nonce.');
}
