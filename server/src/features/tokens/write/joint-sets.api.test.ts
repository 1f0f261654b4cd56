import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../../test/harness/deadline.ts';
import { countLockWaits } from '../../../../test/harness/lock-waits.ts';
import { StatementTap } from '../../../../test/harness/statement-tap.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { cutServers, idOn, nodeAt, type Place } from '../../../../test/harness/two-nodes.ts';
import { endLeft } from '../../../platform/nodes/joint-commit-job.ts';
import { sweepTokensJobs } from '../upkeep/index.ts';

let vault: TestVault;
let tenant: TestTenant;
let tap: StatementTap;
beforeAll(async () => {
  vault = await TestVault.start(undefined, {
    nodes: 2,
    limits: { containerSets: { tenantMax: 6, publicDailyMax: 2 } },
  });
});
beforeEach(async () => {
  tap = new StatementTap();
  tenant = await vault.makeTenant();
});
afterEach(() => tap.close());
afterAll(() => vault.stop());

const places = [0, 1] as const;

const nodeOf = (place: Place) => nodeAt(vault, place);
const tokenOn = (node: Place, container: string, more: object = {}) => ({
  type: 'token',
  data: crypto.randomUUID(),
  id: idOn(node),
  containers: [container],
  ...more,
});
const post = (path: string, body: unknown, key = tenant.keys.reveal) => vault.request('POST', path, { key, body });
const statusOf = async (id: string) =>
  (await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.reveal })).status;

/** How many sets each node has: by what is noted, and by the total. */
async function setsOfNodes(): Promise<(readonly [noted: number, total: number])[]> {
  const text = `select (select count(distinct shelf)::int from token_sets where tenant_id = $1) as noted,
    coalesce((select sets from token_set_totals where tenant_id = $1), 0) as total`;
  const found = await Promise.all(places.map((place) => nodeOf(place).owner.query(text, [tenant.id])));
  return found.map(({ rows }) => {
    const [{ noted, total }] = rows as [{ noted: number; total: number }];
    return [noted, total] as const;
  });
}

const sweep = async () => {
  const jobs = sweepTokensJobs(vault.server.core.nodes);
  await jobs.find(({ name }) => name === 'sweep-container-sets')?.run({});
};

/** Ends the sessions of the server on a node just before it sends a statement. */
function cutBefore(statement: string, node: Place): void {
  tap.interrupt(
    ({ text }) => text.startsWith(statement),
    () => cutServers(nodeOf(node)),
  );
}

describe('new container sets of a request whose tokens lie on several nodes', () => {
  it.each([
    ['plain', {}],
    ['deduplicated', { deduplicate_token: true }],
  ])('keep nobody waiting who makes others, while %s tokens in them are left prepared', async (_name, more) => {
    cutBefore('commit prepared', 0);
    const joint = places.map((place) => tokenOn(place, '/new/', more));
    expect((await post('/tokenize', joint)).status).toBe(503);
    expect(await Promise.all(joint.map(({ id }) => statusOf(id)))).toEqual([404, 200]);

    const containers = ['/another/', '/new/', '/third/', '/new/'];
    const creates = await Promise.all(containers.map((container) => post('/tokens', tokenOn(0, container))));
    expect(creates.map(({ status }) => status)).toEqual([201, 201, 201, 201]);

    await endLeft(vault.server.core.nodes, { olderThanSeconds: 0 });
    expect(await Promise.all(joint.map(({ id }) => statusOf(id)))).toEqual([200, 200]);
    expect(await setsOfNodes()).toEqual([
      [3, 3],
      [1, 1],
    ]);
  });

  it.each([
    ['the tenant', 'reveal', 6],
    ['its public keys', 'public', 2],
  ] as const)('are made on none of them if %s may have no more on one', async (_name, holder, limit) => {
    const key = tenant.keys[holder];
    for (let count = 0; count < limit; count += 1) {
      expect((await post('/tokens', tokenOn(1, `/${count}/`), key)).status).toBe(201);
    }
    const refused = await post('/tokenize', [tokenOn(0, '/new/'), tokenOn(1, '/new/')], key);
    expect(refused).toMatchObject({ status: 400, body: { type: expect.stringMatching(/too-many-container-sets$/) } });
    expect(await setsOfNodes()).toEqual([
      [0, 0],
      [limit, limit],
    ]);
    expect((await post('/tokenize', [tokenOn(0, '/0/'), tokenOn(1, '/0/')], key)).status).toBe(200);
  });

  it('are not forgotten while tokens in them are left prepared, and keep nobody waiting who would', async () => {
    cutBefore('commit prepared', 0);
    const joint = places.map((place) => tokenOn(place, '/new/'));
    expect((await post('/tokenize', joint)).status).toBe(503);
    let isOver = false;
    const sweeping = sweep().finally(() => {
      isOver = true;
    });
    const isWaiting = async () => (await countLockWaits(nodeOf(0).owner)) > 0;
    await untilTrue(async () => isOver || (await isWaiting()), { waitingFor: 'the sweep' });
    expect((await post('/tokens', tokenOn(0, '/another/'))).status).toBe(201);
    await sweeping;
    await endLeft(vault.server.core.nodes, { olderThanSeconds: 0 });
    expect(await Promise.all(joint.map(({ id }) => statusOf(id)))).toEqual([200, 200]);
    expect(await setsOfNodes()).toEqual([
      [2, 2],
      [1, 1],
    ]);
  });

  it('are forgotten if the tokens could not be written', async () => {
    const taken = tokenOn(1, '/known/');
    await post('/tokens', taken);
    expect((await post('/tokenize', [tokenOn(0, '/new/'), { ...taken, containers: ['/new/'] }])).status).toBe(409);
    await sweep();
    expect(await setsOfNodes()).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  it('are no effect of a request that is undone', async () => {
    cutBefore('insert into joint_commits', 1);
    const body = places.map((place) => tokenOn(place, '/new/'));
    const headers = { 'bt-idempotency-key': crypto.randomUUID() };
    const repeat = () => vault.request('POST', '/tokenize', { key: tenant.keys.reveal, body, headers });
    const undone = await repeat();
    expect(undone.status).toBe(503);
    expect(JSON.stringify(undone.body)).not.toContain('may have');
    expect((await repeat()).status).toBe(200);
  });
});
