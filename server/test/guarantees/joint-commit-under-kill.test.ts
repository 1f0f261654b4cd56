import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file-root-key.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { drawerOf } from '../../src/platform/nodes/drawers.ts';
import { endLeft } from '../../src/platform/nodes/joint-commit-job.ts';
import { untilTrue } from '../harness/deadline.ts';
import { countLockWaits } from '../harness/lock-waits.ts';
import { listDisorder } from '../harness/node-inventory.ts';
import { Program } from '../harness/program.ts';
import { databaseSettings } from '../harness/test-nodes.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

// What a server leaves behind that is killed while it writes on several databases.

let vault: TestVault;
let tenant: TestTenant;
let settings: Record<string, string>;
let url: string;
beforeAll(async () => {
  const rootKey = generateRootKey();
  vault = await TestVault.start(parseRootKey(rootKey), { nodes: 2 });
  tenant = await vault.makeTenant();
  const port = await findFreePort();
  url = `http://127.0.0.1:${port}`;
  settings = {
    ...databaseSettings(vault),
    STRONGROOM_ROOT_KEY: rootKey,
    STRONGROOM_PUBLIC_URL: url,
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_PORT: String(port),
    STRONGROOM_ADMIN_PORT: '0',
    STRONGROOM_LOG_LEVEL: 'error',
    STRONGROOM_RATE_LIMITS: 'off',
  };
});
afterEach(() => Program.killAll());
afterAll(() => vault.stop());

const idOn = (node: number): string => {
  for (;;) {
    const id = crypto.randomUUID();
    if (drawerOf(id) % 2 === node) return id;
  }
};
const once = (data: string, more: object = {}) => ({ type: 'token', data, deduplicate_token: true, ...more });
const tokenize = (body: unknown, at?: string) =>
  vault.request('POST', '/tokenize', { key: tenant.keys.reveal, body, ...(at === undefined ? {} : { url: at }) });
const listPrepared = async () => {
  const { rows } = await vault.database.owner.query<{ node: string }>(
    `select split_part(gid, '/', 4) as node from pg_prepared_xacts where gid like $1 order by 1`,
    [`strongroom-joint/${tenant.id}/%`],
  );
  return rows.map(({ node }) => node);
};
const owner = (index: number) => {
  const node = vault.nodes[index];
  if (node === undefined) throw new Error('There is no such node.');
  return node.database.owner;
};

describe('a server that is killed between prepare and commit', () => {
  it('leaves claims that keep others from making a second token, until a worker has undone what it began', async () => {
    const server = Program.start(['serve', '--json'], settings);
    await server.ready();
    const existing = await tokenize([once('old', { id: idOn(0) })]);
    expect(existing.status).toBe(200);

    // The last node cannot decide while somebody holds the table of decisions.
    const holder = await owner(1).connect();
    await holder.query('begin');
    await holder.query('lock table joint_commits in access exclusive mode');
    const [first, second] = [idOn(0), idOn(1)];
    const lost = tokenize([once('old'), once('a', { id: first }), once('b', { id: second })], url).catch(() => 'lost');
    await untilTrue(async () => (await countLockWaits(owner(1))) === 1, { waitingFor: 'the last node to decide' });
    expect(await listPrepared()).toEqual(['home', 'node-1']);
    await server.stop('SIGKILL');
    expect(await lost).toBe('lost');

    const waiting = tokenize([once('a'), once('b')]);
    await untilTrue(async () => (await countLockWaits(vault.database.owner)) === 1, { waitingFor: 'the next request' });
    await holder.query('rollback');
    holder.release();
    await endLeft(vault.server.core.nodes, { olderThanSeconds: 0 });

    const made = await waiting;
    expect(made.status).toBe(200);
    const ids = (made.body as { id: string }[]).map(({ id }) => id);
    expect(ids).not.toContain(first);
    expect(ids).not.toContain(second);
    const again = await tokenize([once('a'), once('b'), once('old')]);
    expect((again.body as { id: string }[]).map(({ id }) => id)).toEqual([
      ...ids,
      (existing.body as { id: string }[])[0]?.id,
    ]);
    expect(await listPrepared()).toEqual([]);
    expect(await listDisorder(vault)).toEqual([]);
  });
});
