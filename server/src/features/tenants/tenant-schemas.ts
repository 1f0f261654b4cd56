import { type Static, Type } from 'typebox';
import { nameSchemas } from '../../http/routes/api-components.ts';
import { orNull } from '../../http/parameters/optional-schemas.ts';
import { plainText, textMap } from '../../http/parameters/text-schemas.ts';
import { changeFields, timestamp, toChangeFields, toTimestamp } from '../../http/parameters/timestamp.ts';
import { ApprovalView, toApprovalField } from '../approvals/index.ts';
import { settingsMax, type TokenCount } from './tenant.ts';
import type { ShownTenant } from './tenant-service.ts';

const settingsText =
  '`fingerprint_tokens`, `deduplicate_tokens`, `disable_ephemeral_proxy`, `require_sign_in_way`, `require_openid` and `approve_plaintext` are `true` or `false`; `token_deduplication_behavior` is `return_existing` or `update_existing`; `fingerprint_visibility` is `mask` or `reveal`. You can add settings of your own.';

export const UpdateTenant = Type.Object(
  {
    name: plainText({ minLength: 1, maxLength: 200, description: 'The name of the tenant.' }),
    settings: orNull(textMap({ nameMax: 100, valueMax: 500, entriesMax: settingsMax, description: settingsText })),
  },
  { description: 'The changes to the tenant. Omitted settings stay as they are.' },
);

export const TenantView = Type.Object(
  {
    id: Type.String({ description: 'Id of the tenant.' }),
    owner_id: Type.Optional(Type.String({ description: 'Id of the user who owns it.' })),
    name: Type.String({ description: 'The name of the tenant.' }),
    type: Type.String({ description: '`test` or `production`.' }),
    settings: Type.Record(Type.String(), Type.String(), { description: settingsText }),
    approval: Type.Optional(ApprovalView),
    ...changeFields,
  },
  { description: 'A tenant, to which tokens, keys, applications and members belong.' },
);

const TypeCount = Type.Object(
  {
    count: Type.Integer({ description: 'The number of tokens.' }),
    last_created_at: Type.Optional(timestamp('When the newest token was created.')),
  },
  { description: 'The tokens of one type.' },
);
const TokenReport = Type.Object(
  {
    total_tokens: Type.Integer({ description: 'The number of tokens.' }),
    metrics_by_type: Type.Record(Type.String(), TypeCount, { description: 'The numbers by token type.' }),
  },
  { description: 'The tokens of the tenant.' },
);

export const UsageReport = Type.Object(
  { total_tokens: Type.Integer({ description: 'The number of tokens of the tenant.' }), token_report: TokenReport },
  { description: 'The usage of the tenant.' },
);

nameSchemas({ UpdateTenantRequest: UpdateTenant, Tenant: TenantView, TypeCount, TokenReport, UsageReport });

export function toTenantChange(body: Static<typeof UpdateTenant>): { name: string; settings: Record<string, string> } {
  return { name: body.name, settings: body.settings ?? {} };
}

export function toTenantView(tenant: ShownTenant): Static<typeof TenantView> {
  return {
    id: tenant.id,
    ...(tenant.ownerId === null ? {} : { owner_id: tenant.ownerId }),
    name: tenant.name,
    type: tenant.type,
    settings: { ...tenant.settings },
    ...toApprovalField(tenant.approval),
    ...toChangeFields(tenant),
  };
}

export function toUsageReport(counts: readonly TokenCount[]): Static<typeof UsageReport> {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const byType = counts.map(({ type, count, lastCreatedAt }) => [
    type,
    { count, ...(lastCreatedAt === null ? {} : { last_created_at: toTimestamp(lastCreatedAt) }) },
  ]);
  return { total_tokens: total, token_report: { total_tokens: total, metrics_by_type: Object.fromEntries(byType) } };
}
