import { leastTransform, type Transform } from '../../../core/access/access-rule.ts';
import { decideAccess, requireAccess, requireAccessToEach } from '../../../core/access/decide-access.ts';
import { mayAuthorViews, requireNoGain, requireViewAuthor } from '../../../core/sight/view-authorship.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import type { TokenId } from '../../../core/identity/ids.ts';
import { TurnQueue } from '../../../platform/waiting/turn-queue.ts';
import { toAuditRow } from '../../../platform/audit/record/audit-event.ts';
import type { AuditLog } from '../../../platform/audit/record/audit-log.ts';
import type { TenantSettings, TenantSettingsDirectory } from '../../tenants/index.ts';
import { isHeldByPublic } from '../model/container-set-sql.ts';
import { requireSame, toMadeToken, type UpdatedToken } from './made-token.ts';
import type { SealedToken, StoredToken, VisibleToken } from '../model/token.ts';
import { requestsDeduplication } from './deduplication-request.ts';
import { findDuplicateKey } from './duplicate-key.ts';
import type { TokenDraft } from './token-draft.ts';
import type { TokenDuplicateStore } from './token-duplicate-store.ts';
import { type Shown, tokenEvent } from '../model/token-event.ts';
import { applyAttributes, applyPatch, leavesContent, removesOnlyCode } from './token-patch.ts';
import type { TokenPatch } from '../model/token-request.ts';
import { getToken, type OpenedToken, type TokenPresenter, untilNotOvertaken } from '../read/index.ts';
import type { TokenSealer } from './token-sealer.ts';
import type { CvcChange, TokenStore } from '../model/token-store.ts';
import { authorsAfter, requireViewsOfType, type RightsSource, withoutPlantedViews } from './view-authors.ts';
import { judgeViews } from './view-change.ts';

export interface UpdateOutcome {
  readonly token: VisibleToken;
  /**
   * True if the token now equals one that the caller may not read, so that its content would reveal that of the other.
   */
  readonly isHiddenDuplicate: boolean;
  /** The facts that a retry needs. */
  readonly made: UpdatedToken;
}

interface JudgedUpdate {
  readonly current: StoredToken;
  /** The current token without the views that must not see the new data. */
  readonly token: StoredToken;
  readonly opened: OpenedToken;
  readonly mayUpdate: Transform;
  /** True if the patch creates a view of stored data. */
  readonly isView: boolean;
  readonly hasFingerprint: boolean;
  readonly settings: TenantSettings;
}

interface SealedUpdate {
  readonly sealed: SealedToken;
  readonly cvc: CvcChange;
  readonly isView: boolean;
  /** The most that the caller may see of the token. */
  readonly transform: Transform;
  readonly isDeduplicated: boolean;
  readonly isStoppedByHold: boolean;
  /** The new content of the token, if it was opened. */
  readonly content?: TokenDraft;
}

export interface UpdateOptions {
  /** True if the data was typed into card fields, on a page that may have chosen the token. */
  readonly isFromFields?: boolean;
}

/** A view of stored data can show all of it, so the audit log treats its author as having read the token. */
const wholeView: Shown = { transform: 'reveal', details: { via: 'view' } };

/**
 * The maximum number of writers that wait for the same token. Within a process, they run one at a time, so that only
 * other servers can write in between.
 */
const waitingMax = 1_000;
/** The maximum number of tokens with the same content to check. */
const duplicatesMax = 100;

interface TokenUpdaterParts {
  readonly store: TokenStore;
  readonly duplicates: TokenDuplicateStore;
  readonly sealer: TokenSealer;
  readonly presenter: TokenPresenter;
  readonly settings: TenantSettingsDirectory;
  readonly rights: RightsSource;
  readonly audit: AuditLog;
}

export class TokenUpdater {
  readonly #parts: TokenUpdaterParts;
  readonly #turns = new TurnQueue(waitingMax);

  constructor(parts: TokenUpdaterParts) {
    this.#parts = parts;
  }

  /**
   * Applies the patch to the newest version. Concurrent patches have the same result as if they had run one at a time.
   */
  async update(caller: KeyCaller, id: TokenId, patch: TokenPatch, options: UpdateOptions = {}): Promise<UpdateOutcome> {
    return this.#turns.run(`${caller.tenantId}/${id}`, () =>
      untilNotOvertaken(() => this.#tryUpdate(caller, { id, patch, options })),
    );
  }

  /** Shows a token that an earlier request updated, as an update would show it now. It is recorded as a read. */
  async showAgain(caller: KeyCaller, made: UpdatedToken): Promise<UpdateOutcome> {
    const token = requireSame(made, await this.#parts.store.find(caller.tenantId, made.id));
    const transform = leastTransform(made.transform, requireAccess(caller.grants, 'token:update', token));
    const isHiddenDuplicate =
      made.isHiddenDuplicate || (made.isDeduplicated && (await this.#isHiddenDuplicate(caller, token)));
    const view = { transform: isHiddenDuplicate ? 'redact' : transform, details: { via: 'replay' } } as const;
    const [visible] = await Promise.all([
      this.#parts.presenter.show(caller, token, transform),
      this.#parts.audit.append(caller, tokenEvent(token, 'read', view)),
    ]);
    return { token: visible, isHiddenDuplicate, made };
  }

  /** Returns undefined if another server changed the token between read and write. */
  async #tryUpdate(
    caller: KeyCaller,
    { id, patch, options }: { id: TokenId; patch: TokenPatch; options: UpdateOptions },
  ): Promise<UpdateOutcome | undefined> {
    const current = await getToken(this.#parts.store, caller, id);
    const mayUpdate = requireAccess(caller.grants, 'token:update', current);
    const settings = await this.#parts.settings.get(caller.tenantId);
    if (leavesContent(current, patch, settings)) return this.#revise(caller, { current, mayUpdate, settings }, patch);
    if (options.isFromFields === true) requireViewsOfType(current, patch);
    const token = await withoutPlantedViews(this.#parts.rights, caller, current, patch);
    const opened = await this.#parts.presenter.open(current);
    await opened.load();
    // The view is authorized before anything is evaluated, because a failing expression over stored data reveals
    // something about it.
    const { isView, exposesFingerprint, staysWithout } = await judgeViews(token, opened, patch);
    const mayExpose = !exposesFingerprint || mayAuthorViews(caller, current);
    const hasFingerprint = settings.fingerprintTokens && !staysWithout && mayExpose;
    const judged = { current, token, opened, mayUpdate, isView, hasFingerprint, settings };
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
    { current, token, opened, mayUpdate, isView, hasFingerprint, settings }: JudgedUpdate,
    patch: TokenPatch,
  ): Promise<UpdateOutcome | undefined> {
    const isStoppedByHold = !removesOnlyCode(current, patch);
    // A patch that a legal hold allows must not end the life of the token.
    const limits = isStoppedByHold ? settings.lifeLimits : [];
    const { draft, cvc } = await applyPatch(token, opened, patch, { now: new Date(), limits });
    const transform = leastTransform(mayUpdate, this.#requireMove(caller, current, draft));
    const isDeduplicated = requestsDeduplication(caller, { draft, transform, settings });
    const vouched = { ...draft, viewAuthors: authorsAfter(caller, { token, draft, patch }) };
    const sealed = await this.#seal(caller, vouched, hasFingerprint);
    const update = { sealed, cvc, isView, transform, isDeduplicated, isStoppedByHold };
    return this.#write(caller, current, { ...update, content: draft });
  }

  /** Writes changes to attributes. The data is neither opened nor sealed again. */
  async #revise(
    caller: KeyCaller,
    { current, mayUpdate, settings }: Pick<JudgedUpdate, 'current' | 'mayUpdate' | 'settings'>,
    patch: TokenPatch,
  ): Promise<UpdateOutcome | undefined> {
    const attributes = applyAttributes(current, patch, { now: new Date(), limits: settings.lifeLimits });
    const transform = leastTransform(mayUpdate, this.#requireMove(caller, current, attributes));
    const isDeduplicated = requestsDeduplication(caller, { draft: patch, transform, settings });
    const sealed = await this.#parts.sealer.revise(current, attributes);
    const update = { sealed, isView: false, transform, isDeduplicated, isStoppedByHold: true };
    return this.#write(caller, current, { ...update, cvc: 'keep' });
  }

  async #write(caller: KeyCaller, current: StoredToken, update: SealedUpdate): Promise<UpdateOutcome | undefined> {
    const { sealed, transform, isDeduplicated } = update;
    // This is checked before the write, because the audit record says what the response will show.
    const isHiddenDuplicate = isDeduplicated && (await this.#isHiddenDuplicate(caller, sealed));
    const next = await this.#replace(caller, current, update, isHiddenDuplicate ? 'redact' : transform);
    if (next === undefined) return undefined;
    return {
      token: await this.#parts.presenter.show(caller, next, transform, update.content),
      isHiddenDuplicate,
      made: { ...toMadeToken(next, transform), isDeduplicated, isHiddenDuplicate },
    };
  }

  /**
   * Records a failed attempt, because an expression that fails on stored data, or a later failure, reveals something
   * about the data.
   */
  async #recordFailedView(caller: KeyCaller, current: StoredToken, error: unknown): Promise<void> {
    if (!(error instanceof DomainError) || (error.code !== 'validation-failed' && error.code !== 'forbidden')) return;
    await this.#parts.audit.append(caller, { ...tokenEvent(current, 'update', wholeView), outcome: 'failed' });
  }

  /**
   * Requires the permission on each container that the token leaves or enters. A move must not let the caller see more
   * of the token.
   */
  #requireMove(caller: KeyCaller, current: StoredToken, { containers }: Pick<TokenDraft, 'containers'>): Transform {
    const { id } = current;
    const left = current.containers.filter((container) => !containers.includes(container));
    const entered = containers.filter((container) => !current.containers.includes(container));
    if (left.length + entered.length === 0) return 'reveal';
    const transform = requireAccessToEach(caller.grants, 'token:update', { id, containers: [...left, ...entered] });
    requireNoGain(caller, current, { id, containers });
    return transform;
  }

  async #seal(caller: KeyCaller, draft: TokenDraft, hasFingerprint: boolean): Promise<SealedToken> {
    const [next] = await this.#parts.sealer.sealAll(caller, [draft], { hasFingerprints: hasFingerprint });
    if (next === undefined) throw new Error('A draft was sealed to nothing.');
    return next;
  }

  /** Writes the next version. The audit record says how the response shows the token. */
  async #replace(
    caller: KeyCaller,
    current: StoredToken,
    { sealed: next, cvc, isView, isStoppedByHold }: SealedUpdate,
    transform: Transform,
  ): Promise<StoredToken | undefined> {
    const events = [
      tokenEvent(next, 'update', { transform }),
      ...(isView ? [tokenEvent(current, 'read', wholeView)] : []),
    ];
    const modifiedAt = await this.#parts.store.update({
      current,
      next,
      cvc,
      modifiedBy: caller.applicationId,
      isPublic: isHeldByPublic(caller),
      isStoppedByHold,
      audit: events.map((event) => toAuditRow(caller, event)),
    });
    if (modifiedAt === undefined) {
      if (isStoppedByHold) await this.#parts.store.requireNotHeld(current);
      return undefined;
    }
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
    const others = await this.#parts.duplicates.listOthers(token, key, duplicatesMax + 1);
    // If there are too many duplicates to check all of them quickly, the content is withheld as if one were hidden.
    if (others.length > duplicatesMax) return true;
    return others.some((other) => !decideAccess(caller.grants, 'token:read', other).isAllowed);
  }
}
