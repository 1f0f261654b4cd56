import type { AccessRule } from '../../core/access/access-rule.ts';
import { type AccessDecision, type AccessTarget, decideAccess, toRules } from '../../core/access/decide-access.ts';
import { type Permission, permissionsOf } from '../../core/access/permission.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { ApplicationId, TokenId } from '../../core/identity/ids.ts';
import type { AuditLog } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { ApplicationStore, applicationEvent, noSuchApplication, requireValidSettings } from '../applications/index.ts';
import { getToken, getTokenType, type StoredToken, type TokenStore } from '../tokens/index.ts';

/** Whose rights are asked about: those an application has, or those it would have under a draft. */
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
  /** JSON text of the mask that would be applied; undefined where none is. */
  readonly mask: string | undefined;
}

/** Says what an application may do to a token or in a container, and why. It looks at rules, never at data. */
export class ExplainService {
  readonly #database: Database;
  readonly #tokens: TokenStore;
  readonly #audit: AuditLog;

  constructor(parts: { database: Database; tokens: TokenStore; audit: AuditLog }) {
    this.#database = parts.database;
    this.#tokens = parts.tokens;
    this.#audit = parts.audit;
  }

  async explain(caller: Caller, { subject, target, permission }: ExplainQuestion): Promise<Explanation[]> {
    const rules = await this.#rulesOf(caller, subject);
    const token = 'tokenId' in target ? await getToken(this.#tokens, caller, target.tokenId) : undefined;
    const place: AccessTarget = token ?? { containers: 'container' in target ? [target.container] : [] };
    const asked = permission === undefined ? permissionsOf('private') : [permission];
    const entityId = 'applicationId' in subject ? subject.applicationId : 'draft';
    await this.#audit.append(caller, applicationEvent(entityId, 'read'));
    return asked.map((one) => {
      const decision = decideAccess({ rules }, one, place);
      const isMasked = decision.isAllowed && decision.transform === 'mask';
      return { permission: one, decision, mask: isMasked ? maskOf(token) : undefined };
    });
  }

  async #rulesOf(caller: Caller, subject: ExplainSubject): Promise<AccessRule[]> {
    if (!('applicationId' in subject)) {
      requireValidSettings('private', subject);
      return toRules(subject.permissions, subject.rules);
    }
    const { applicationId } = subject;
    const application = await this.#database.forTenant(caller.tenantId, (tx) =>
      new ApplicationStore(tx, caller.tenantId).find(applicationId),
    );
    if (application === undefined) throw noSuchApplication();
    return toRules(application.permissions, application.rules);
  }
}

function maskOf(token: StoredToken | undefined): string | undefined {
  if (token === undefined) return undefined;
  if (token.mask !== null) return token.mask === 'null' ? undefined : token.mask;
  const { defaultMask } = getTokenType(token);
  return defaultMask === undefined ? undefined : JSON.stringify(defaultMask);
}

/** Exactly one way of naming the subject, exactly one of naming the target. */
export function requireOneOf(fields: Readonly<Record<string, boolean>>): void {
  const given = Object.values(fields).filter(Boolean).length;
  if (given === 1) return;
  throw invalidField(
    Object.keys(fields)[0] ?? 'body',
    `exactly one of ${Object.keys(fields).join(' and ')} is required`,
  );
}
