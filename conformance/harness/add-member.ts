import { parseTenantId } from '../../server/src/core/identity/ids.ts';
import { MemberStore } from '../../server/src/features/members/member-store.ts';
import { Database } from '../../server/src/platform/database/database.ts';
import type { VaultAddress } from './vault-address.ts';

/**
 * Adds a member as if an invitation had been accepted. No client call can accept an invitation, because a person does
 * that in a browser.
 */
export async function addMember({ settings }: VaultAddress, tenant: string, email: string): Promise<string> {
  const database = new Database({
    url: settings.STRONGROOM_DATABASE_URL,
    connectionsMax: 1,
    queueMax: 10,
    acquireTimeoutMs: 5_000,
    statementTimeoutMs: 5_000,
    applicationName: 'conformance',
  });
  try {
    const tenantId = parseTenantId(tenant);
    return await database.forTenant(tenantId, async (tx) => {
      const store = new MemberStore(tx, tenantId);
      const { id } = await store.joinUser(email);
      return store.insert({ userId: id, role: 'ADMIN', createdBy: null });
    });
  } finally {
    await database.close();
  }
}
