import { leastTransform, type Transform } from '../../core/access/access-rule.ts';
import { decideAccess } from '../../core/access/decide-access.ts';
import { requireAccess, requireAccessToEach } from '../../core/access/require-access.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { TokenId } from '../../core/identity/ids.ts';
import { toAuditRow } from '../../platform/audit/audit-event.ts';
import type { TenantSettings, TenantSettingsDirectory } from '../tenants/index.ts';
import type { StoredToken, VisibleToken } from './token.ts';
import type { TokenDraft } from './token-draft.ts';
import { tokenEvent } from './token-event.ts';
import type { TokenInsertStore } from './token-insert-store.ts';
import { applyPatch, type TokenPatch } from './token-patch.ts';
import type { TokenPresenter } from './token-presenter.ts';
import type { TokenSealer } from './token-sealer.ts';
import { busyToken, getToken } from './token-service.ts';
import type { CvcChange, TokenStore } from './token-store.ts';
import { TurnQueue } from './turn-queue.ts';

export interface UpdateOutcome {
  readonly token: VisibleToken;
  /** The token has become equal to one that the caller may not read: its content would tell what that one holds. */
  readonly isHiddenDuplicate: boolean;
}

/** Writers of one token within a process take turns; only those of other servers can still get in between. */
const attemptsMax = 20;
const waitingMax = 1_000;

export class TokenUpdater {
  readonly #store: TokenStore;
  readonly #inserts: TokenInsertStore;
  readonly #sealer: TokenSealer;
  readonly #presenter: TokenPresenter;
  readonly #settings: TenantSettingsDirectory;
  readonly #turns = new TurnQueue(waitingMax);

  constructor(parts: {
    store: TokenStore;
    inserts: TokenInsertStore;
    sealer: TokenSealer;
    presenter: TokenPresenter;
    settings: TenantSettingsDirectory;
  }) {
    this.#store = parts.store;
    this.#inserts = parts.inserts;
    this.#sealer = parts.sealer;
    this.#presenter = parts.presenter;
    this.#settings = parts.settings;
  }

  /** Applies the patch to the newest version: concurrent patches end up as if they had come one after the other. */
  async update(caller: Caller, id: TokenId, patch: TokenPatch): Promise<UpdateOutcome> {
    return this.#turns.run(`${caller.tenantId}/${id}`, async () => {
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        const updated = await this.#tryUpdate(caller, id, patch);
        if (updated !== undefined) return updated;
      }
      throw busyToken();
    });
  }

  /** Undefined when another server changed the token between the look and the write. */
  async #tryUpdate(caller: Caller, id: TokenId, patch: TokenPatch): Promise<UpdateOutcome | undefined> {
    const current = await getToken(this.#store, caller, id);
    const mayUpdate = requireAccess(caller.grants, 'token:update', current);
    const opened = await this.#presenter.open(current);
    const { draft, cvc } = applyPatch(current, opened, patch, new Date());
    const transform = leastTransform(mayUpdate, this.#requireDestination(caller, current, draft));

    const settings = await this.#settings.get(caller.tenantId);
    const next = await this.#write(caller, current, { draft, cvc }, settings);
    if (next === undefined) return undefined;
    const isDeduplicated = draft.deduplicate ?? settings.deduplicateTokens;
    return {
      token: await this.#presenter.show(next, transform, draft),
      isHiddenDuplicate: isDeduplicated && (await this.#isHiddenDuplicate(caller, next)),
    };
  }

  /** Moving a token needs the permission where it comes from and on each container it goes to. */
  #requireDestination(caller: Caller, current: StoredToken, draft: TokenDraft): Transform {
    const added = draft.containers.filter((container) => !current.containers.includes(container));
    return added.length === 0
      ? 'reveal'
      : requireAccessToEach(caller.grants, 'token:update', { id: current.id, containers: added });
  }

  async #write(
    caller: Caller,
    current: StoredToken,
    { draft, cvc }: { draft: TokenDraft; cvc: CvcChange },
    { fingerprintTokens }: TenantSettings,
  ): Promise<StoredToken | undefined> {
    const version = current.version + 1;
    const [next] = await this.#sealer.sealAll(caller, [{ draft, id: current.id, version }], {
      hasFingerprints: fingerprintTokens,
    });
    if (next === undefined) throw new Error('A draft was sealed to nothing.');
    const audit = toAuditRow(caller, tokenEvent(next, 'update'));
    const modifiedAt = await this.#store.update(current, next, { cvc, audit, modifiedBy: caller.applicationId });
    if (modifiedAt === undefined) return undefined;
    return {
      ...next,
      cvc: cvc === 'keep' ? current.cvc : next.cvc,
      createdBy: current.createdBy,
      createdAt: current.createdAt,
      modifiedBy: caller.applicationId,
      modifiedAt,
    };
  }

  async #isHiddenDuplicate(caller: Caller, token: StoredToken): Promise<boolean> {
    if (token.fingerprint === null) return false;
    const others = await this.#inserts.listTargetsOf(caller.tenantId, token.fingerprint, token.id);
    return others.some((other) => !decideAccess(caller.grants, 'token:read', other).isAllowed);
  }
}
