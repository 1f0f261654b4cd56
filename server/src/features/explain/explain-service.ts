import type { AccessRule } from '../../core/access/access-rule.ts';
import {
  type AccessDecision,
  type AccessTarget,
  decideAccess,
  grantsAnywhere,
  toRules,
} from '../../core/access/decide-access.ts';
import { type GrantLimit, handsOutRights } from '../../core/access/grant-limit.ts';
import { type Permission, permissionsOf } from '../../core/access/permission.ts';
import { mayAuthorViews } from '../../core/sight/view-authorship.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import type { Caller, Identity } from '../../core/identity/caller.ts';
import type { ApplicationId, TokenId } from '../../core/identity/ids.ts';
import type { AuditLog } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { ApplicationStore, applicationEvent, noSuchApplication, requireValidSettings } from '../applications/index.ts';
import { getTokenType } from '../../core/token-types/token-type-catalog.ts';
import { getToken, type StoredToken, type TokenStore } from '../tokens/index.ts';

/** The subject whose access is explained: an application or a draft. */
export type ExplainSubject =
  | { readonly applicationId: ApplicationId }
  | { readonly permissions: readonly Permission[]; readonly rules: readonly AccessRule[] };

export interface ExplainQuestion {
  readonly subject: ExplainSubject;
  readonly target: { readonly tokenId: TokenId } | { readonly container: string };
  /** One permission, or every token permission. */
  readonly permission: Permission | undefined;
}

export interface Explanation {
  readonly permission: Permission;
  readonly decision: AccessDecision;
  /** JSON text of the mask that would be applied. Undefined if there is none. */
  readonly mask: string | undefined;
  /** True if the subject may define views of stored data. Set for `token:update` only. */
  readonly authorsViews?: boolean;
}

/** The rights that the subject can grant to other applications. */
export interface HandingOut {
  /** Null if there is no limit. */
  readonly limit: GrantLimit | null;
  readonly isInviting: boolean;
}

export interface ExplainedAccess {
  readonly decisions: readonly Explanation[];
  readonly handingOut: HandingOut | undefined;
}

interface Subject {
  readonly holder: Pick<Identity, 'grants' | 'applicationType'>;
  readonly handingOut: HandingOut | undefined;
}

interface ExplainServiceParts {
  readonly database: Database;
  readonly tokens: TokenStore;
  readonly audit: AuditLog;
}

/** Explains what an application may do to a token or in a container, and why. It reads rules, never data. */
export class ExplainService {
  readonly #parts: ExplainServiceParts;

  constructor(parts: ExplainServiceParts) {
    this.#parts = parts;
  }

  async explain(caller: Caller, { subject, target, permission }: ExplainQuestion): Promise<ExplainedAccess> {
    const { holder, handingOut } = await this.#load(caller, subject);
    const token = 'tokenId' in target ? await getToken(this.#parts.tokens, caller, target.tokenId) : undefined;
    const accessTarget: AccessTarget = token ?? { containers: 'container' in target ? [target.container] : [] };
    const asked = permission === undefined ? permissionsOf('private') : [permission];
    const entityId = 'applicationId' in subject ? subject.applicationId : 'draft';
    await this.#parts.audit.append(caller, applicationEvent(entityId, 'read'));
    const decisions = asked.map((one) => {
      const decision = decideAccess(holder.grants, one, accessTarget);
      const isMasked = decision.isAllowed && decision.transform === 'mask';
      return {
        permission: one,
        decision,
        mask: isMasked ? maskOf(token) : undefined,
        ...(one === 'token:update' ? { authorsViews: mayAuthorViews(holder, accessTarget) } : {}),
      };
    });
    return { decisions, handingOut };
  }

  async #load(caller: Caller, subject: ExplainSubject): Promise<Subject> {
    if (!('applicationId' in subject)) {
      requireValidSettings('private', subject);
      const grants = { rules: toRules(subject.permissions, subject.rules) };
      return { holder: { applicationType: 'private', grants }, handingOut: undefined };
    }
    const { applicationId } = subject;
    const application = await this.#parts.database.forTenant(caller.tenantId, (tx) =>
      new ApplicationStore(tx, caller.tenantId).find(applicationId),
    );
    if (application === undefined) throw noSuchApplication();
    const rules = toRules(application.permissions, application.rules);
    return {
      holder: { applicationType: application.type, grants: { rules } },
      handingOut: handsOutRights(application) ? toHandingOut(application.grantLimit, rules) : undefined,
    };
  }
}

/**
 * Determines which rights the subject can pass on. Members can approve exports, so the right to create members gives
 * access to plaintext beyond any limit.
 */
function toHandingOut(limit: GrantLimit | null, rules: readonly AccessRule[]): HandingOut {
  const making: Permission[] = ['tenant:invitation:create', 'tenant:member:update'];
  return { limit, isInviting: making.some((permission) => grantsAnywhere(rules, permission)) };
}

function maskOf(token: StoredToken | undefined): string | undefined {
  if (token === undefined) return undefined;
  if (token.mask !== null) return token.mask === 'null' ? undefined : token.mask;
  const { defaultMask } = getTokenType(token);
  return defaultMask === undefined ? undefined : JSON.stringify(defaultMask);
}

/** Throws unless exactly one of the fields is given. */
export function requireOneOf(fields: Readonly<Record<string, boolean>>): void {
  const given = Object.values(fields).filter(Boolean).length;
  if (given === 1) return;
  throw invalidField(
    Object.keys(fields)[0] ?? 'body',
    `exactly one of ${Object.keys(fields).join(' and ')} is required`,
  );
}
