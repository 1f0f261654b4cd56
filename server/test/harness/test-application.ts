import type { TestResponse, TestTenant, TestVault } from './test-vault.ts';
import { untilServed } from './until-served.ts';

export interface TestApplication {
  readonly id: string;
  readonly keyId: string;
  readonly key: string;
}

/** Creates an application through the API and returns it with its first key. */
export async function createApplication(
  vault: TestVault,
  tenant: TestTenant,
  wanted: Readonly<Record<string, unknown>> = {},
): Promise<TestApplication> {
  const body = { name: 'Test', type: 'private', permissions: ['token:create', 'token:read'], ...wanted };
  const answer = await untilServed(() => vault.request('POST', '/applications', { key: tenant.keys.management, body }));
  if (answer.status !== 201) throw new Error(`No application was made: ${answer.text}`);
  const { id, key, keys } = answer.body as { id: string; key: string; keys: { id: string }[] };
  return { id, key, keyId: keys[0]?.id ?? '' };
}

/** Returns the field names in a validation problem. */
export function fieldsOf(answer: TestResponse): string[] {
  return Object.keys((answer.body as { errors?: object } | undefined)?.errors ?? {});
}

/** Returns the audit records of an entity, oldest first. */
export async function recordsOf(vault: TestVault, tenant: TestTenant, entityId: string) {
  const records = await vault.auditRecords(tenant.id);
  return records.filter((record) => record['entity_id'] === entityId);
}

/** The formats of values that the vault chooses. */
export const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const utcTimestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
