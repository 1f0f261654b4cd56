import type { PublishedKey } from './client-encryption.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

/** Creates a client key of a tenant. */
export async function makeClientKey(vault: TestVault, { keys }: TestTenant): Promise<PublishedKey> {
  const answer = await vault.request('POST', '/keys', { key: keys.management, body: {} });
  if (answer.status !== 201) throw new Error(`No client key was created: ${answer.text}`);
  return answer.body as PublishedKey;
}
