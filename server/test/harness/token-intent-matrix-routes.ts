import type { MatrixRoute } from './permission-matrix.ts';
import { at } from './derived-matrix-rows.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

/** Returns the routes of token intents. Each request creates the intent that it is about. */
export function tokenIntentRoutes(vault: TestVault): readonly MatrixRoute[] {
  const body = { type: 'token', data: 'plaintext-of-the-matrix' };
  const onIntent = async (of: TestTenant) => {
    const answer = await vault.request('POST', '/token-intents', { key: of.keys.private, body });
    return { path: `/token-intents/${(answer.body as { id: string }).id}` };
  };
  const hidden = { scope: 'hidden', path: '/token-intents/{id}', prepare: onIntent } as const;
  return [
    {
      ...hidden,
      method: 'POST',
      path: '/token-intents',
      needs: 'token-intent:create',
      status: 201,
      prepare: at('/token-intents', body),
    },
    { ...hidden, method: 'GET', needs: 'token-intent:read', status: 200 },
    { ...hidden, method: 'DELETE', needs: 'token-intent:delete', status: 204 },
  ];
}
