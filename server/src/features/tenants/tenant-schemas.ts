import { type Static, Type } from 'typebox';
import { nameSchemas } from '../../http/api-components.ts';
import { orNull } from '../../http/optional-schemas.ts';
import { plainText, textMap } from '../../http/text-schemas.ts';
import { changeFields, Timestamp, toChangeFields, toTimestamp } from '../../http/timestamp.ts';
import { settingsMax, type Tenant, type TokenCount } from './tenant.ts';

export const UpdateTenant = Type.Object({
  name: plainText({ minLength: 1, maxLength: 200 }),
  settings: orNull(textMap({ nameMax: 100, valueMax: 500, entriesMax: settingsMax })),
});

export const TenantView = Type.Object({
  id: Type.String(),
  owner_id: Type.Optional(Type.String()),
  name: Type.String(),
  type: Type.String(),
  settings: Type.Record(Type.String(), Type.String()),
  ...changeFields,
});

const TypeCount = Type.Object({ count: Type.Integer(), last_created_at: Type.Optional(Timestamp) });

export const UsageReport = Type.Object({
  total_tokens: Type.Integer(),
  token_report: Type.Object({ total_tokens: Type.Integer(), metrics_by_type: Type.Record(Type.String(), TypeCount) }),
});

nameSchemas({ UpdateTenantRequest: UpdateTenant, Tenant: TenantView, UsageReport });

export function toTenantChange(body: Static<typeof UpdateTenant>): { name: string; settings: Record<string, string> } {
  return { name: body.name, settings: body.settings ?? {} };
}

export function toTenantView(tenant: Tenant): Static<typeof TenantView> {
  return {
    id: tenant.id,
    ...(tenant.ownerId === null ? {} : { owner_id: tenant.ownerId }),
    name: tenant.name,
    type: tenant.type,
    settings: { ...tenant.settings },
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
