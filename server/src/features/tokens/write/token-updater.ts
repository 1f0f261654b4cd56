import { leastTransform, type Transform } from '../../../core/access/access-rule.ts';
import { decideAccess } from '../../../core/access/decide-access.ts';
import { requireAccess, requireAccessToEach } from '../../../core/access/require-access.ts';
import { requireNoGain, requireViewAuthor } from '../../../core/sight/view-authorship.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import type { TokenId } from '../../../core/identity/ids.ts';
import { toAuditRow } from '../../../platform/audit/record/audit-event.ts';
import type { AuditLog } from '../../../platform/audit/record/audit-log.ts';
import type { TenantSettings, TenantSettingsDirectory } from '../../tenants/index.ts';
import { isHeldByPublic } from '../model/container-set-sql.ts';
import { requireSame, toMadeToken, type UpdatedToken } from './made-token.ts';
import type { StoredToken, VisibleToken } from '../model/token.ts';
import { requestsDeduplication } from './deduplication-request.ts';
import { findDuplicateKey } from './duplicate-key.ts';
import type { TokenDraft } from '../model/token-draft.ts';
import type { TokenDuplicateStore } from './token-duplicate-store.ts';
import { type Shown, tokenEvent } from '../model/token-event.ts';
import { applyAttributes, applyPatch, leavesContent } from './token-patch.ts';
import type { TokenPatch } from '../model/token-request.ts';
import { getToken, type OpenedToken, type TokenPresenter, untilNotOvertaken } from '../read/index.ts';
import type { SealedToken, TokenSealer } from '../model/token-sealer.ts';
import type { CvcChange, TokenStore } from '../model/token-store.ts';
import { TurnQueue } from './turn-queue.ts';
import { authorsAfter, type RightsSource, requireViewsOfType, withoutPlantedViews } from './view-authors.ts';
import { makesView } from './view-change.ts';

export interface UpdateOutcome {
  readonly token: VisibleToken;
  /** The token has become equal to one that the caller may not read: its content would tell what that one holds. */
  readonly isHiddenDuplicate: boolean;
  /** What a repetition needs to know. */
  readonly made: UpdatedToken;
}

interface JudgedUpdate {
  readonly current: StoredToken;
  /** The same without views that must not see what is written. */
  readonly token: StoredToken;
  readonly opened: OpenedToken;
  readonly mayUpdate: Transform;
  /** The patch makes a view of stored data. */
  readonly isView: boolean;
  readonly settings: TenantSettings;
}

interface SealedUpdate {
  readonly sealed: SealedToken;
  readonly cvc: CvcChange;
  readonly isView: boolean;
  /** What the caller may see of it. */
  readonly transform: Transform;
  readonly isDeduplicated: boolean;
  /** What the token holds now, where it was opened. */
  readonly content?: TokenDraft;
}

export interface UpdateOptions {
  /** The data was typed into card fields, on a page that may have chosen the token. */
  readonly isFromFields?: boolean;
}

/** A view of stored data can show all of it, so its author has read the token as far as the log is concerned. */
const wholeView: Shown = { transform: 'reveal', details: { via: 'view' } };

/** Writers of one token within a process take turns; only those of other servers can still get in between. */
const waitingMax = 1_000;
/** How many tokens of the same content are looked at. */
const duplicatesMax = 100;

export class TokenUpdater {
  readonly #store: TokenStore;
  readonly #duplicates: TokenDuplicateStore;
  readonly #sealer: TokenSealer;
  readonly #presenter: TokenPresenter;
  readonly #settings: TenantSettingsDirectory;
  readonly #rights: RightsSource;
  readonly #audit: AuditLog;
  readonly #turns = new TurnQueue(waitingMax);

  constructor(parts: {
    store: TokenStore;
    duplicates: TokenDuplicateStore;
    sealer: TokenSealer;
    presenter: TokenPresenter;
    settings: TenantSettingsDirectory;
    rights: RightsSource;
    audit: AuditLog;
  }) {
    this.#store = parts.store;
    this.#duplicates = parts.duplicates;
    this.#sealer = parts.sealer;
    this.#presenter = parts.presenter;
    this.#settings = parts.settings;
    this.#rights = parts.rights;
    this.#audit = parts.audit;
  }

  /** Applies the patch to the newest version: concurrent patches end up as if they had come one after the other. */
  async update(caller: KeyCaller, id: TokenId, patch: TokenPatch, options: UpdateOptions = {}): Promise<UpdateOutcome> {
    return this.#turns.run(`${caller.tenantId}/${id}`, () =>
      untilNotOvertaken(() => this.#tryUpdate(caller, { id, patch, options })),
    );
  }

  /** The token that an earlier request has updated, as updating it would show it now. Recorded as a read. */
  async showAgain(caller: KeyCaller, made: UpdatedToken): Promise<UpdateOutcome> {
    const token = requireSame(made, await this.#store.find(caller.tenantId, made.id));
    const transform = leastTransform(made.transform, requireAccess(caller.grants, 'token:update', token));
    const isHiddenDuplicate =
      made.isHiddenDuplicate || (made.isDeduplicated && (await this.#isHiddenDuplicate(caller, token)));
    const view = { transform: isHiddenDuplicate ? 'redact' : transform, details: { via: 'replay' } } as const;
    const [visible] = await Promise.all([
      this.#presenter.show(caller, token, transform),
      this.#audit.append(caller, tokenEvent(token, 'read', view)),
    ]);
    return { token: visible, isHiddenDuplicate, made };
  }

  /** Undefined when another server changed the token between the look and the write. */
  async #tryUpdate(
    caller: KeyCaller,
    { id, patch, options }: { id: TokenId; patch: TokenPatch; options: UpdateOptions },
  ): Promise<UpdateOutcome | undefined> {
    const current = await getToken(this.#store, caller, id);
    const mayUpdate = requireAccess(caller.grants, 'token:update', current);
    const settings = await this.#settings.get(caller.tenantId);
    if (leavesContent(current, patch, settings)) return this.#revise(caller, { current, mayUpdate, settings }, patch);
    if (options.isFromFields === true) requireViewsOfType(current, patch);
    const token = await withoutPlantedViews(this.#rights, caller, current, patch);
    const opened = await this.#presenter.open(current);
    await opened.load();
    // Judged before anything is evaluated: whether an expression over stored data fails tells something about it.
    const isView = makesView(token, opened, patch);
    const judged = { current, token, opened, mayUpdate, isView, settings };
    if (!isView) return this.#apply(caller, judged, patch);
    requireViewAuthor(caller, current);
    try {
      return await this.#apply(caller, judged, patch);
    } catch (error) {
      await this.#recordFailedView(caller, current, error);
      throw error;
    }
  }

  async #apply(
    caller: KeyCaller,
    { current, token, opened, mayUpdate, isView, settings }: JudgedUpdate,
    patch: TokenPatch,
  ): Promise<UpdateOutcome | undefined> {
    const { draft, cvc } = await applyPatch(token, opened, patch, new Date());
    const transform = leastTransform(mayUpdate, this.#requireMove(caller, current, draft));
    const isDeduplicated = requestsDeduplication(caller, { draft, transform, settings });
    const vouched = { ...draft, viewAuthors: authorsAfter(caller, { token, draft, patch }) };
    const sealed = await this.#seal(caller, current, { draft: vouched, settings });
    return this.#write(caller, current, { sealed, cvc, isView, transform, isDeduplicated, content: draft });
  }

  /** Writes what a patch changes beside the data, which is neither opened nor sealed again. */
  async #revise(
    caller: KeyCaller,
    { current, mayUpdate, settings }: Pick<JudgedUpdate, 'current' | 'mayUpdate' | 'settings'>,
    patch: TokenPatch,
  ): Promise<UpdateOutcome | undefined> {
    const attributes = applyAttributes(current, patch, new Date());
    const transform = leastTransform(mayUpdate, this.#requireMove(caller, current, attributes));
    const isDeduplicated = requestsDeduplication(caller, { draft: patch, transform, settings });
    const sealed = await this.#sealer.revise(current, attributes);
    return this.#write(caller, current, { sealed, cvc: 'keep', isView: false, transform, isDeduplicated });
  }

  async #write(caller: KeyCaller, current: StoredToken, update: SealedUpdate): Promise<UpdateOutcome | undefined> {
    const { sealed, transform, isDeduplicated } = update;
    // Asked before the write, whose record says what the response will show.
    const isHiddenDuplicate = isDeduplicated && (await this.#isHiddenDuplicate(caller, sealed));
    const next = await this.#replace(caller, current, update, isHiddenDuplicate ? 'redact' : transform);
    if (next === undefined) return undefined;
    return {
      token: await this.#presenter.show(caller, next, transform, update.content),
      isHiddenDuplicate,
      made: { ...toMadeToken(next, transform), isDeduplicated, isHiddenDuplicate },
    };
  }

  /** Whether an expression fails on stored data, or on what comes after it, tells something about the data. */
  async #recordFailedView(caller: KeyCaller, current: StoredToken, error: unknown): Promise<void> {
    if (!(error instanceof DomainError) || (error.code !== 'validation-failed' && error.code !== 'forbidden')) return;
    await this.#audit.append(caller, { ...tokenEvent(current, 'update', wholeView), outcome: 'failed' });
  }

  /** Moving a token needs the permission on each container that it leaves or enters, and shows its mover no more of it. */
  #requireMove(caller: KeyCaller, current: StoredToken, { containers }: Pick<TokenDraft, 'containers'>): Transform {
    const { id } = current;
    const left = current.containers.filter((container) => !containers.includes(container));
    const entered = containers.filter((container) => !current.containers.includes(container));
    if (left.length + entered.length === 0) return 'reveal';
    const transform = requireAccessToEach(caller.grants, 'token:update', { id, containers: [...left, ...entered] });
    requireNoGain(caller, current, { id, containers });
    return transform;
  }

  async #seal(
    caller: KeyCaller,
    current: StoredToken,
    { draft, settings }: { draft: TokenDraft; settings: TenantSettings },
  ): Promise<SealedToken> {
    const version = current.version + 1;
    const [next] = await this.#sealer.sealAll(caller, [{ draft, id: current.id, version }], {
      hasFingerprints: settings.fingerprintTokens,
    });
    if (next === undefined) throw new Error('A draft was sealed to nothing.');
    return next;
  }

  /** The record says how the response shows the token. */
  async #replace(
    caller: KeyCaller,
    current: StoredToken,
    { sealed: next, cvc, isView }: SealedUpdate,
    transform: Transform,
  ): Promise<StoredToken | undefined> {
    const events = [
      tokenEvent(next, 'update', { transform }),
      ...(isView ? [tokenEvent(current, 'read', wholeView)] : []),
    ];
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

  async #isHiddenDuplicate(caller: KeyCaller, token: SealedToken): Promise<boolean> {
    const key = findDuplicateKey(token, 'return_existing');
    if (key === undefined) return false;
    const others = await this.#duplicates.listOthers(token, key, duplicatesMax + 1);
    // Of very many nobody knows without reading them all: the content is held back as if one of them were hidden.
    if (others.length > duplicatesMax) return true;
    return others.some((other) => !decideAccess(caller.grants, 'token:read', other).isAllowed);
  }
}
