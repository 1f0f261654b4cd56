import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { NoParameters } from '../../../http/parameters/query-parameters.ts';
import { type IdParameter, idParameter, requireUuid } from '../../../http/parameters/uuid-parameter.ts';
import { keepOutcome, shownAgain } from '../../../http/requests/idempotency.ts';
import { noSuchRule } from './retention-rule.ts';
import { ruleExamples } from './retention-rule-examples.ts';
import {
  CreateRule,
  PreviewView,
  RuleView,
  RuleWish,
  toPreviewView,
  toRulePeriods,
  toRuleView,
} from './retention-rule-schemas.ts';
import type { RetentionRuleService } from './retention-rule-service.ts';

const RuleParameter = idParameter('Id of the retention rule.');
const tags = ['Retention'] as const;
const entityType = 'retention_rule';
const reading = { permission: 'retention:read', entityType } as const;
const changing = { permission: 'retention:update', entityType } as const;

export function addRetentionRuleRoutes(app: FastifyInstance, rules: RetentionRuleService): void {
  app.post<{ Body: Static<typeof RuleWish> }>(
    '/retention-rules/preview',
    {
      config: {
        ...reading,
        isReadOnly: true,
        isRepeatable: false,
        examples: ruleExamples.previewRetentionRule,
      },
      schema: {
        operationId: 'previewRetentionRule',
        summary: 'Preview a retention rule',
        description:
          'Counts the tokens that the rules would remove if this one were in force, and says since when the first of them has been due. Tokens under a legal hold are not counted.',
        tags,
        body: RuleWish,
        response: { 200: PreviewView },
      },
    },
    async ({ caller, body }) => toPreviewView(await rules.preview(caller, toRulePeriods(body))),
  );

  app.post<{ Body: Static<typeof CreateRule> }>(
    '/retention-rules',
    {
      config: {
        ...changing,
        showAgain: shownAgain<{ id: string }>(async (caller, { id }) => toRuleView(await rules.get(caller, id))),
        problems: ['not-found'],
        examples: ruleExamples.createRetentionRule,
      },
      schema: {
        operationId: 'createRetentionRule',
        summary: 'Create a retention rule',
        description:
          'Creates a rule that removes tokens after a time. `confirmed_tokens` must be at least the number that the preview counts, so that a mistake in the number of days removes nothing. The rule takes effect 24 hours later; until then, delete it to undo it. If the tenant requires approvals, the 24 hours begin when the rule is approved.',
        tags,
        body: CreateRule,
        response: { 201: RuleView, 202: RuleView },
      },
    },
    async ({ caller, body }, reply) => {
      const rule = await rules.create(caller, toRulePeriods(body), body.confirmed_tokens);
      keepOutcome(reply, { id: rule.id });
      return reply.code(rule.effectiveAt === null ? 202 : 201).send(toRuleView(rule));
    },
  );

  app.get(
    '/retention-rules',
    {
      config: { ...reading, examples: ruleExamples.listRetentionRules },
      schema: {
        operationId: 'listRetentionRules',
        summary: 'List retention rules',
        description: 'Returns the retention rules of the tenant, newest first.',
        tags,
        querystring: NoParameters,
        response: { 200: Type.Array(RuleView) },
      },
    },
    async ({ caller }) => (await rules.list(caller)).map(toRuleView),
  );

  app.get<{ Params: IdParameter }>(
    '/retention-rules/:id',
    {
      config: { ...reading, examples: ruleExamples.getRetentionRule },
      schema: {
        operationId: 'getRetentionRule',
        summary: 'Get a retention rule',
        description: 'Returns a retention rule, with the time at which it takes effect.',
        tags,
        params: RuleParameter,
        response: { 200: RuleView },
      },
    },
    async ({ caller, params }) => toRuleView(await rules.get(caller, requireUuid(params.id, noSuchRule))),
  );

  app.delete<{ Params: IdParameter }>(
    '/retention-rules/:id',
    {
      config: { ...changing, hasBody: false, examples: ruleExamples.deleteRetentionRule },
      schema: {
        operationId: 'deleteRetentionRule',
        summary: 'Delete a retention rule',
        description:
          'Deletes a retention rule. It removes nothing from then on. Tokens that it has removed stay removed. A rule without which other rules would remove tokens sooner is refused with 400: first create a rule for the same container and type with the period that is to apply, which needs a confirmed number and a day.',
        tags,
        params: RuleParameter,
        response: { 204: Type.Null() },
      },
    },
    async ({ caller, params }, reply) => {
      await rules.delete(caller, requireUuid(params.id, noSuchRule));
      return reply.code(204).send();
    },
  );
}
