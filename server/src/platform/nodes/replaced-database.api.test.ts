import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import type { TestDatabase } from '../../../test/harness/test-database.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { TokenEndpoints } from '../../../test/harness/token-endpoints.ts';
import { drawerOf } from './drawers.ts';

let vault: TestVault;
let tenant: TestTenant;
let tokens: TokenEndpoints;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
  tenant = await vault.makeTenant();
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
});
afterAll(() => vault.stop());

const nameOf = ({ url }: TestDatabase) => new URL(url).pathname.slice(1);
const atHome = (text: string, values?: unknown[]) => vault.database.owner.query(text, values);
const endSessions = (database: TestDatabase) =>
  atHome('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [nameOf(database)]);
/** Until none of its broken connections is left. */
const untilDisconnected = () =>
  untilTrue(() => vault.server.core.nodes.all.slice(1).every(({ database }) => database.usage.open === 0), {
    waitingFor: 'the end of all connections to nodes',
  });

/** What it holds is the same, and yet its servers cannot know that. */
async function replace(database: TestDatabase): Promise<void> {
  await database.owner.query('update held_drawers set held = held');
  await endSessions(database);
}

async function makeOn(node: number): Promise<string> {
  for (;;) {
    const { id } = await tokens.make({ data: 'kept' });
    if (drawerOf(id) % 2 === node) return id;
  }
}
const post = (path: string, body: unknown) => vault.request('POST', path, { key: tenant.keys.reveal, body });

describe('a database that was replaced', () => {
  it('is written to once and without an error, when all have said what they hold', async () => {
    const ids = [await makeOn(0), await makeOn(1)];
    const before = await countAll();
    for (const { database } of vault.nodes) await replace(database);
    await untilDisconnected();
    const create = (data: string, deduplicate = false) =>
      post('/tokens', { type: 'token', data, ...(deduplicate ? { deduplicate_token: true } : {}) });
    const several = Array.from({ length: 6 }, (_, index) => ({ type: 'token', data: `several-${index}` }));
    const chosen = several.map((token) => ({ ...token, id: crypto.randomUUID() }));
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, (_, index) => create(`single-${index}`)),
      ...Array.from({ length: 4 }, () => create('same', true)),
      post('/tokenize', several),
      post('/tokenize', chosen),
      ...ids.map((id) => tokens.get(id)),
    ]);
    expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
    expect(await countAll()).toBe(before + 20 + 1 + 6 + 6);
  });

  it('is asked alone where drawers have moved and everybody has said so since', async () => {
    const [first, second] = vault.nodes.map(({ database }) => database);
    if (first === undefined || second === undefined) throw new Error('There are no nodes.');
    const id = await makeOn(0);
    await first.owner.query('update held_drawers set held = held');
    await vault.server.core.nodes.lookAgain();
    await atHome(`alter database ${nameOf(second)} with allow_connections false`);
    for (const database of [first, second]) await endSessions(database);
    await untilDisconnected();
    expect((await tokens.get(id)).status).toBe(200);
    await atHome(`alter database ${nameOf(second)} with allow_connections true`);
  });

  it('is not asked while another cannot say what it has been given', async () => {
    const [first, second] = vault.nodes.map(({ database }) => database);
    if (first === undefined || second === undefined) throw new Error('There are no nodes.');
    const id = await makeOn(0);
    await atHome(`alter database ${nameOf(second)} with allow_connections false`);
    await endSessions(second);
    // Where nothing has changed since all have said what they hold, nobody else has to be asked.
    await endSessions(first);
    await untilDisconnected();
    expect((await tokens.get(id)).status).toBe(200);
    await replace(first);
    await untilDisconnected();
    const refused = await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.reveal });
    expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('another cannot be reached')]);
    await atHome(`alter database ${nameOf(second)} with allow_connections true`);
    expect((await tokens.get(id)).status).toBe(200);
  });
});

async function countAll(): Promise<number> {
  const counts = await Promise.all(
    vault.nodes.map(({ database }) => database.owner.query<{ count: number }>('select count(*)::int from tokens')),
  );
  return counts.reduce((sum, { rows }) => sum + (rows[0]?.count ?? 0), 0);
}
