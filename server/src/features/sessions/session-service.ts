import { type AccessRule, countConditions } from '../../core/access/access-rule.ts';
import { toRules } from '../../core/access/decide-access.ts';
import { findExcessSteps } from '../../core/access/find-excess.ts';
import type { Permission } from '../../core/access/permission.ts';
import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import type { KeyCaller, SessionOrigin } from '../../core/identity/caller.ts';
import { type AuditEvent, type Operation, successEvent } from '../../platform/audit/record/audit-event.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import { toRightsDetails } from '../../platform/audit/record/change-details.ts';
import type { Database } from '../../platform/database/database.ts';
import { generateApiKey, generateNonce, parseNonce } from '../../platform/keyring/sign-in/api-key.ts';
import type { SystemKeys } from '../../platform/keyring/keys/system-keys.ts';
import { loopPace } from '../../platform/waiting/tenant-pace.ts';
import { inTurns } from '../../platform/waiting/turns.ts';
import { weighRights } from '../../platform/waiting/work-weight.ts';
import { ApplicationStore, requireValidSettings } from '../applications/index.ts';
import { describeExcess } from './session-excess.ts';
import { SessionStore } from './session-store.ts';

const lifetimeSeconds = 3 * 60;
const noRights = { permissions: [], rules: [] };
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
  /** The origin where the session must have been created. Undefined allows any. */
  readonly origin: SessionOrigin | undefined;
}

/**
 * Creates and authorizes sessions. A browser creates one with a public key, and a server with a private key authorizes
 * it.
 */
export class SessionService {
  readonly #database: Database;
  readonly #systemKeys: SystemKeys;
  readonly #cell: string | undefined;

  constructor(parts: { database: Database; systemKeys: SystemKeys; cell: string | undefined }) {
    this.#database = parts.database;
    this.#systemKeys = parts.systemKeys;
    this.#cell = parts.cell;
  }

  /** Creates a session. A session with an origin works only there. */
  async create(caller: KeyCaller, origin: SessionOrigin | undefined): Promise<NewSession> {
    if (caller.applicationType !== 'public' || caller.session !== undefined) {
      throw new DomainError('forbidden', 'Only the key of a public application can create a session.');
    }
    const { tenantId, applicationId } = caller;
    const nonce = generateNonce();
    return this.#database.forTenant(tenantId, async (tx) => {
      const key = generateApiKey(await new ApplicationStore(tx, tenantId).keyEnvironment(), 'sess', this.#cell);
      const expiresAt = await new SessionStore(tx, tenantId).insert({
        id: key.id,
        applicationId,
        secretHash: this.#systemKeys.hashCredential(key.secret),
        nonceHash: this.#systemKeys.hashCredential(nonce.secret),
        origin,
        lifetimeSeconds,
      });
      const details = origin === undefined ? {} : { details: toRightsDetails(undefined, { ...noRights, origin }) };
      await recordInTransaction(tx, tenantId, caller, { ...sessionEvent(key.id, 'create'), ...details });
      return { sessionKey: key.text, nonce: nonce.text, expiresAt };
    });
  }

  /** Authorizes a session. Only one request per nonce succeeds, even if several run concurrently. */
  async authorize(caller: KeyCaller, grant: SessionGrant): Promise<void> {
    if (caller.applicationType !== 'private' || caller.session !== undefined) {
      throw new DomainError('forbidden', 'Only the key of a private application can authorize a session.');
    }
    requireSensible(grant);
    await requireWithin(caller, grant);
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
      if (id === undefined) throw await whyNot(store, nonceHash, grant);
      await recordInTransaction(tx, caller.tenantId, caller, {
        ...sessionEvent(id, 'authorize'),
        details: toRightsDetails(undefined, grant),
      });
    });
  }
}

/** Validates a grant. A session runs in a browser, but it is validated like its authorizer, a private application. */
function requireSensible({ permissions, rules, expiresAt }: SessionGrant): void {
  requireValidSettings('private', { permissions, rules });
  if (expiresAt === undefined) return;
  const aheadMs = expiresAt.getTime() - Date.now();
  if (aheadMs <= 0 || aheadMs > lifetimeMaxMs)
    throw invalidField('expires_at', 'must be in the future, at most 24 hours from now');
}

/**
 * Requires that a session gets no more rights than its authorizer has. A larger grant is rejected immediately.
 * Otherwise it would be reduced silently later.
 */
async function requireWithin(
  { tenantId, grants: { rules: held } }: KeyCaller,
  { permissions, rules }: SessionGrant,
): Promise<void> {
  const wanted = toRules(permissions, rules);
  loopPace.charge(tenantId, weighRights(countConditions([...wanted, ...held])));
  const excess = await inTurns(findExcessSteps(wanted, held));
  if (excess !== undefined) throw new DomainError('forbidden', describeExcess(excess));
}

/**
 * Returns the reason why a session was not authorized. A nonce that was rejected for its origin is not used up, because
 * the session may still be authorized for less.
 */
async function whyNot(store: SessionStore, nonceHash: Buffer, { origin }: SessionGrant): Promise<DomainError> {
  const session = await store.findByNonce(nonceHash);
  if (session === undefined) return unknownNonce();
  if (session.isAuthorized) return new DomainError('nonce-used', 'The nonce has been used already.', { found: {} });
  // If the origin matches, the authorizing key has been revoked since the request arrived.
  return origin !== undefined && session.origin !== origin ? createdElsewhere() : unknownNonce();
}

export function sessionEvent(id: string, operation: Operation): AuditEvent {
  return successEvent('session', id, operation);
}

function unknownNonce(): DomainError {
  return new DomainError('not-found', 'There is no session with this nonce.');
}

function createdElsewhere(): DomainError {
  const advice = 'Create it in the page with `sessions.create` of the card fields.';
  return new DomainError('forbidden', `The session was not created on the origin of the card fields. ${advice}`);
}
