import type { MatrixRoute } from './permission-matrix.ts';
import { at } from './derived-matrix-rows.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

/**
 * Returns the routes of erasures. An application finds only its own, so a request that is allowed to look for one finds
 * none.
 */
export function erasureRoutes(vault: TestVault): readonly MatrixRoute[] {
  const rights = { needs: 'token:delete', alsoNeeds: 'token:search', scope: 'plain' } as const;
  const one = `/erasures/${crypto.randomUUID()}`;
  const count = async (of: TestTenant) => {
    // A tenant can have only a limited number of erasures that are not over.
    await vault.database.owner.query('delete from erasures where tenant_id = $1', [of.id]);
    return { path: '/erasures', body: { container: '/nowhere/' } };
  };
  const on = { ...rights, status: 404 } as const;
  return [
    { ...rights, method: 'POST', path: '/erasures', status: 201, prepare: count },
    { ...rights, method: 'GET', path: '/erasures', status: 200, prepare: at('/erasures') },
    { ...on, method: 'GET', path: '/erasures/{id}', prepare: at(one) },
    { ...on, method: 'GET', path: '/erasures/{id}/receipt', prepare: at(`${one}/receipt`) },
    {
      ...on,
      method: 'POST',
      path: '/erasures/{id}/confirm',
      prepare: at(`${one}/confirm`, { confirmed_tokens: 0 }),
    },
    { ...on, method: 'POST', path: '/erasures/{id}/cancel', prepare: at(`${one}/cancel`) },
  ];
}
