import { makeClientKey } from './make-client-key.ts';
import type { MatrixRoute } from './permission-matrix.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

/** Returns the routes of client keys. A tenant can have only a limited number of them. */
export function clientKeyRoutes(vault: TestVault): readonly MatrixRoute[] {
  const forget = (of: TestTenant) =>
    vault.database.owner.query('delete from client_keys where tenant_id = $1', [of.id]);
  const onKey = async (of: TestTenant) => {
    await forget(of);
    return { path: `/keys/${(await makeClientKey(vault, of)).key_id}` };
  };
  const plain = { scope: 'plain', status: 200 } as const;
  return [
    {
      ...plain,
      method: 'POST',
      path: '/keys',
      needs: 'keys:create',
      status: 201,
      prepare: async (of) => {
        await forget(of);
        return { path: '/keys', body: {} };
      },
    },
    { ...plain, method: 'GET', path: '/keys', needs: 'keys:read', prepare: async () => ({ path: '/keys' }) },
    { ...plain, method: 'GET', path: '/keys/{id}', needs: 'keys:read', prepare: onKey },
    { ...plain, method: 'DELETE', path: '/keys/{id}', needs: 'keys:delete', status: 204, prepare: onKey },
  ];
}
