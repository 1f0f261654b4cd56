import type { MatrixRoute } from './permission-matrix.ts';
import { at } from './derived-matrix-rows.ts';
import { TestSessions } from './test-sessions.ts';
import type { TestVault } from './test-vault.ts';

/** Returns the routes that list sessions and that end a session created for the request. */
export function sessionRoutes(vault: TestVault): readonly MatrixRoute[] {
  return [
    {
      method: 'GET',
      path: '/sessions',
      needs: 'session:read',
      status: 200,
      scope: 'plain',
      prepare: at('/sessions?size=1'),
    },
    {
      method: 'DELETE',
      path: '/sessions/{id}',
      needs: 'session:delete',
      status: 204,
      scope: 'plain',
      prepare: async (of) => {
        const sessions = new TestSessions(vault, of);
        await sessions.create();
        return { path: `/sessions/${await sessions.findNewest()}` };
      },
    },
  ];
}
