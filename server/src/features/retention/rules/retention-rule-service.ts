import { DomainError, invalidField } from '../../../core/errors/domain-error.ts';
import { actorIdOf, type Caller } from '../../../core/identity/caller.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { type AuditLog, recordInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { lockTenant, requireOpenTenant } from '../../../platform/database/open-tenant.ts';
import { ApprovalStore, requestApproval, withApprovals } from '../../approvals/index.ts';
import type { RulePeriods } from '../sweep/retention-sql.ts';
import {
  describeRule,
  noSuchRule,
  type DueTokens,
  type RetentionPreview,
  ruleDetails,
  ruleEvent,
  rulesMax,
  type ShownRule,
} from './retention-rule.ts';
import { RetentionRuleStore } from './retention-rule-store.ts';

/** Counting reads an index for as long as this at most. */
const countTimeoutMs = 10_000;

/** Manages the retention rules of a tenant. A rule never changes: another one takes its place. */
export class RetentionRuleService {
  readonly #database: Database;
  readonly #audit: AuditLog;

  constructor({ database, audit }: { readonly database: Database; readonly audit: AuditLog }) {
    this.#database = database;
    this.#audit = audit;
  }

  async preview(caller: Caller, rule: RulePeriods): Promise<RetentionPreview> {
    const due = await this.#count(caller.tenantId, (store) => store.count(rule));
    const held = await this.#count(caller.tenantId, (store) => store.countHeld(rule));
    await this.#audit.append(caller, ruleEvent());
    return { ...due, held: held.tokens, isExact: due.isExact && held.isExact };
  }

  /**
   * Creates a rule, if its caller has confirmed how many tokens it may remove. It takes effect after a day, so that a
   * mistake can be undone. A tenant that requires approvals has somebody else approve it first.
   */
  async create(caller: Caller, rule: RulePeriods, confirmed: number): Promise<ShownRule> {
    const { tenantId } = caller;
    const { tokens } = await this.#count(tenantId, (store) => store.count(rule));
    if (tokens > confirmed) throw notConfirmed(tokens);
    const id = crypto.randomUUID();
    return this.#database.forTenant(tenantId, async (tx) => {
      const store = new RetentionRuleStore(tx, tenantId);
      await lockTenant(tx, tenantId);
      await requireOpenTenant(tx, tenantId);
      if ((await store.list()).length >= rulesMax)
        throw new DomainError('validation-failed', `A tenant can have at most ${rulesMax} retention rules.`);
      const isInForce = !(await new ApprovalStore(tx, tenantId).isDemanded());
      await store.insert(id, rule, { createdBy: actorIdOf(caller), isInForce });
      await recordInTransaction(tx, tenantId, caller, ruleEvent(id, 'create', ruleDetails(rule)));
      if (!isInForce) {
        const basis = describeRule(rule).join('\n');
        const details = ruleDetails(rule);
        await requestApproval(tx, caller, { kind: 'retention_rule', subjectId: id, change: {}, basis, details });
      }
      return getRule(tx, tenantId, id);
    });
  }

  async list(caller: Caller): Promise<ShownRule[]> {
    const { tenantId } = caller;
    const rules = await this.#database.forTenant(tenantId, async (tx) =>
      withApprovals(tx, tenantId, await new RetentionRuleStore(tx, tenantId).list()),
    );
    await this.#audit.append(caller, ruleEvent());
    return rules;
  }

  async get(caller: Caller, id: string): Promise<ShownRule> {
    const rule = await this.#database.forTenant(caller.tenantId, (tx) => getRule(tx, caller.tenantId, id));
    await this.#audit.append(caller, ruleEvent(id));
    return rule;
  }

  /**
   * Deletes a rule. Nothing is removed because of it from then on. A rule that shields tokens from other rules is not
   * deleted, because that would remove them without a confirmed number, a day's notice or an approval.
   */
  async delete(caller: Caller, id: string): Promise<void> {
    const { tenantId } = caller;
    await this.#database.forTenant(tenantId, async (tx) => {
      const store = new RetentionRuleStore(tx, tenantId);
      // An approval takes the same lock first, so that neither waits for the other.
      await lockTenant(tx, tenantId);
      const rule = await store.find(id);
      if (rule === undefined) throw noSuchRule();
      const isInForce = rule.effectiveAt !== null && rule.effectiveAt <= new Date();
      if (isInForce && (await store.shields(id))) throw shieldsTokens();
      await store.delete(id);
      await new ApprovalStore(tx, tenantId).withdrawAll(id);
      await recordInTransaction(tx, tenantId, caller, ruleEvent(id, 'delete', ruleDetails(rule)));
    });
  }

  #count(tenantId: TenantId, work: (store: RetentionRuleStore) => Promise<DueTokens>): Promise<DueTokens> {
    return this.#database.forTenant(tenantId, (tx) => work(new RetentionRuleStore(tx, tenantId)), {
      statementTimeoutMs: countTimeoutMs,
    });
  }
}

async function getRule(tx: Transaction, tenantId: TenantId, id: string): Promise<ShownRule> {
  const rule = await new RetentionRuleStore(tx, tenantId).find(id);
  const [shown] = await withApprovals(tx, tenantId, rule === undefined ? [] : [rule]);
  if (shown === undefined) throw noSuchRule();
  return shown;
}

function shieldsTokens(): DomainError {
  return new DomainError(
    'validation-failed',
    'Without this rule, other rules would remove tokens sooner. First create a rule for the same container and type with the period that is to apply, and delete this one when that is in force.',
  );
}

function notConfirmed(tokens: number): DomainError {
  return invalidField(
    'confirmed_tokens',
    `must be at least ${tokens}, because so many tokens would be removed when the rule takes effect`,
  );
}
