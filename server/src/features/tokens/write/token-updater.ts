import { leastTransform, type Transform } from '../../../core/access/access-rule.ts';
import { decideAccess } from '../../../core/access/decide-access.ts';
import { requireAccess, requireAccessToEach } from '../../../core/access/require-access.ts';
import { requireNoGain, requireViewAuthor } from '../../../core/access/view-authorship.ts';
import type { Caller } from '../../../core/identity/caller.ts';
import type { TokenId } from '../../../core/identity/ids.ts';
import { toAuditRow } from '../../../platform/audit/audit-event.ts';
import type { AuditLog } from '../../../platform/audit/audit-log.ts';
import type { TenantSettings, TenantSettingsDirectory } from '../../tenants/index.ts';
import { isHeldByPublic } from '../model/container-set-limit.ts';
import { requireSame, toMadeToken, type UpdatedToken } from './made-token.ts';
import type { StoredToken, VisibleToken } from '../model/token.ts';
import { requestsDeduplication } from './deduplication-request.ts';
import { findDuplicateKey } from './duplicate-key.ts';
import type { TokenDraft } from '../model/token-draft.ts';
import type { TokenDuplicateStore } from './token-duplicate-store.ts';
import { tokenEvent } from '../model/token-event.ts';
import { applyPatch } from './token-patch.ts';
import type { TokenPatch } from '../model/token-request.ts';
import { busyToken, getToken, type TokenPresenter } from '../read/index.ts';
import type { TokenSealer } from '../model/token-sealer.ts';
import type { CvcChange, TokenStore } from '../model/token-store.ts';
import { TurnQueue } from './turn-queue.ts';
import { makesView } from './view-change.ts';

export interface UpdateOutcome {
  readonly token: VisibleToken;
  /** The token has become equal to one that the caller may not read: its content would tell what that one holds. */
  readonly isHiddenDuplicate: boolean;
  /** What a repetition needs to know. */
  readonly made: UpdatedToken;
}

/** Writers of one token within a process take turns; only those of other servers can still get in between. */
const attemptsMax = 20;
const waitingMax = 1_000;
/** How many tokens of the same content are looked at. */
const duplicatesMax = 100;

export class TokenUpdater {
  readonly #store: TokenStore;
  readonly #duplicates: TokenDuplicateStore;
  readonly #sealer: TokenSealer;
  readonly #presenter: TokenPresenter;
  readonly #settings: TenantSettingsDirectory;
  readonly #audit: AuditLog;
  readonly #turns = new TurnQueue(waitingMax);

  constructor(parts: {
    store: TokenStore;
    duplicates: TokenDuplicateStore;
    sealer: TokenSealer;
    presenter: TokenPresenter;
    settings: TenantSettingsDirectory;
    audit: AuditLog;
  }) {
    this.#store = parts.store;
    this.#duplicates = parts.duplicates;
    this.#sealer = parts.sealer;
    this.#presenter = parts.presenter;
    this.#settings = parts.settings;
    this.#audit = parts.audit;
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

  /** The token that an earlier request has updated, as updating it would show it now. Recorded as a read. */
  async showAgain(caller: Caller, made: UpdatedToken): Promise<UpdateOutcome> {
    const token = requireSame(made, await this.#store.find(caller.tenantId, made.id));
    const transform = leastTransform(made.transform, requireAccess(caller.grants, 'token:update', token));
    const isHiddenDuplicate =
      made.isHiddenDuplicate || (made.isDeduplicated && (await this.#isHiddenDuplicate(caller, token)));
    const [visible] = await Promise.all([
      this.#presenter.show(caller, token, transform),
      this.#audit.append(caller, tokenEvent(token, 'read')),
    ]);
    return { token: visible, isHiddenDuplicate, made };
  }

  /** Undefined when another server changed the token between the look and the write. */
  async #tryUpdate(caller: Caller, id: TokenId, patch: TokenPatch): Promise<UpdateOutcome | undefined> {
    const current = await getToken(this.#store, caller, id);
    const mayUpdate = requireAccess(caller.grants, 'token:update', current);
    const opened = await this.#presenter.open(current);
    await opened.load();
    // Judged before anything is evaluated: whether an expression over stored data fails tells something about it.
    const isView = makesView(current, opened, patch);
    if (isView) requireViewAuthor(caller, current);
    const { draft, cvc } = await applyPatch(current, opened, patch, new Date());
    const transform = leastTransform(mayUpdate, this.#requireMove(caller, current, draft));

    const settings = await this.#settings.get(caller.tenantId);
    const isDeduplicated = requestsDeduplication(caller, { draft, transform, settings });
    const next = await this.#write(caller, current, { draft, cvc, isView }, settings);
    if (next === undefined) return undefined;
    const isHiddenDuplicate = isDeduplicated && (await this.#isHiddenDuplicate(caller, next));
    return {
      token: await this.#presenter.show(caller, next, transform, draft),
      isHiddenDuplicate,
      made: { ...toMadeToken(next, transform), isDeduplicated, isHiddenDuplicate },
    };
  }

  /** Moving a token needs the permission on each container that it leaves or enters, and shows its mover no more of it. */
  #requireMove(caller: Caller, current: StoredToken, { containers }: TokenDraft): Transform {
    const { id } = current;
    const left = current.containers.filter((container) => !containers.includes(container));
    const entered = containers.filter((container) => !current.containers.includes(container));
    if (left.length + entered.length === 0) return 'reveal';
    const transform = requireAccessToEach(caller.grants, 'token:update', { id, containers: [...left, ...entered] });
    requireNoGain(caller, current, { id, containers });
    return transform;
  }

  async #write(
    caller: Caller,
    current: StoredToken,
    { draft, cvc, isView }: { draft: TokenDraft; cvc: CvcChange; isView: boolean },
    { fingerprintTokens }: TenantSettings,
  ): Promise<StoredToken | undefined> {
    const version = current.version + 1;
    const [next] = await this.#sealer.sealAll(caller, [{ draft, id: current.id, version }], {
      hasFingerprints: fingerprintTokens,
    });
    if (next === undefined) throw new Error('Sealing a draft returned nothing.');
    // A view of stored data can show all of it, so its author has read the token as far as the log is concerned.
    const events = [tokenEvent(next, 'update'), ...(isView ? [tokenEvent(current, 'read')] : [])];
    const modifiedAt = await this.#store.update({
      current,
      next,
      cvc,
      modifiedBy: caller.applicationId,
      isPublic: isHeldByPublic(caller),
      audit: events.map((event) => toAuditRow(caller, event)),
    });
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
    const key = findDuplicateKey(token, 'return_existing');
    if (key === undefined) return false;
    const others = await this.#duplicates.listOthers(token, key, duplicatesMax + 1);
    // Of very many nobody knows without reading them all: the content is held back as if one of them were hidden.
    if (others.length > duplicatesMax) return true;
    return others.some((other) => !decideAccess(caller.grants, 'token:read', other).isAllowed);
  }
}
