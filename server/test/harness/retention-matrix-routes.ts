import type { MatrixRoute } from './permission-matrix.ts';
import { at } from './derived-matrix-rows.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

/** Returns the routes of retention rules and legal holds. Each request creates what it is about. */
export function retentionRoutes(vault: TestVault): readonly MatrixRoute[] {
  const reading = { needs: 'retention:read', scope: 'plain', status: 200 } as const;
  const changing = { needs: 'retention:update', scope: 'plain' } as const;
  const rule = { container: '/nowhere/', keep_for_days: 400 };
  const confirmed = { ...rule, confirmed_tokens: 0 };
  const hold = { reason: 'Audit', container: '/nowhere/' };
  /** A tenant can have only a limited number of each. */
  const empty = async (table: string, of: TestTenant) => {
    await vault.database.owner.query(`delete from ${table} where tenant_id = $1`, [of.id]);
  };
  const make = async (of: TestTenant, path: string, body: object) => {
    const answer = await vault.request('POST', path, { key: of.keys.management, body });
    return `${path}/${(answer.body as { id: string }).id}`;
  };
  const onRule = async (of: TestTenant) => {
    await empty('retention_rules', of);
    return { path: await make(of, '/retention-rules', confirmed) };
  };
  const onHold =
    (suffix = '') =>
    async (of: TestTenant) => {
      await empty('legal_holds', of);
      return { path: `${await make(of, '/legal-holds', hold)}${suffix}` };
    };
  const creating = (table: string, path: string, body: object) => async (of: TestTenant) => {
    await empty(table, of);
    return { path, body };
  };
  return [
    { ...reading, method: 'POST', path: '/retention-rules/preview', prepare: at('/retention-rules/preview', rule) },
    { ...reading, method: 'GET', path: '/retention-rules', prepare: at('/retention-rules') },
    { ...reading, method: 'GET', path: '/retention-rules/{id}', prepare: onRule },
    {
      ...changing,
      method: 'POST',
      path: '/retention-rules',
      status: 201,
      prepare: creating('retention_rules', '/retention-rules', confirmed),
    },
    { ...changing, method: 'DELETE', path: '/retention-rules/{id}', status: 204, prepare: onRule },
    { ...reading, method: 'GET', path: '/legal-holds', prepare: at('/legal-holds') },
    { ...reading, method: 'GET', path: '/legal-holds/{id}', prepare: onHold() },
    {
      ...changing,
      method: 'POST',
      path: '/legal-holds',
      status: 201,
      prepare: creating('legal_holds', '/legal-holds', hold),
    },
    { ...changing, method: 'POST', path: '/legal-holds/{id}/lift', status: 200, prepare: onHold('/lift') },
  ];
}
