import type { TestTenant, TestVault } from './test-vault.ts';

/** Creates a token, and returns its id. */
export async function createToken(vault: TestVault, tenant: TestTenant, body: object): Promise<string> {
  const answer = await vault.request('POST', '/tokens', { key: tenant.keys.private, body });
  if (answer.status !== 201) throw new Error(`No token was made: ${answer.text}`);
  return (answer.body as { id: string }).id;
}

/** Makes tokens and everything that the log says about them older, so that tests do not have to wait. */
export async function age(vault: TestVault, ids: readonly string[], days: number): Promise<void> {
  const { owner } = vault.database;
  await owner.query(
    `update token_terms set created_at = created_at - make_interval(days => $2) where token_id = any($1)`,
    [ids, days],
  );
  await owner.query(`update tokens set created_at = created_at - make_interval(days => $2) where id = any($1)`, [
    ids,
    days,
  ]);
}

/** Removes the records about tokens from the log, as if nobody had used them for longer than the log is kept. */
export async function forgetUse(vault: TestVault, ids: readonly string[]): Promise<void> {
  await vault.database.owner.query('delete from audit_records where entity_id = any($1)', [ids]);
}

/** Lists those of the tokens that are stored. */
export async function listStored(vault: TestVault, ids: readonly string[]): Promise<string[]> {
  const { rows } = await vault.database.owner.query<{ id: string }>(
    'select id from tokens where id = any($1) order by array_position($1, id)',
    [ids],
  );
  return rows.map(({ id }) => id);
}
