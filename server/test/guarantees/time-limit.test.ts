import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilPasses, untilTrue } from '../harness/deadline.ts';
import { countLockWaits } from '../harness/lock-waits.ts';
import { type TestResponse, type TestTenant, TestVault } from '../harness/test-vault.ts';

const limitSeconds = 1;
const nothing = 'Nothing was changed.';
const perhaps = 'The request may have taken effect.';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { requestTimeoutSeconds: limitSeconds });
});
afterAll(() => vault.stop());
beforeEach(async () => {
  tenant = await vault.makeTenant();
  // This request loads all data that is read only once and then cached.
  await store('before');
});

const create = (id: string, headers: Readonly<Record<string, string>> = {}) =>
  vault.request('POST', '/tokens', { key: tenant.keys.private, body: { id, type: 'token', data: id }, headers });
const createMany = (name: string) => Array.from({ length: 20 }, (_, index) => create(`${name}-${index}`));
/**
 * Stores a token. On a slow machine, a request may time out although nothing blocks it. The
 * token may then already exist.
 */
const store = (id: string) => untilPasses(async () => expect([201, 409]).toContain((await create(id)).status));
const detailOf = ({ body }: TestResponse) => (body as { detail: string }).detail;

function expectRefusal(answer: TestResponse): void {
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(answer.headers.get('bt-trace-id')).toBe((answer.body as { trace_id: string }).trace_id);
  expect(detailOf(answer)).toMatch(new RegExp(`${nothing}$|${perhaps}`));
}

/** Lists the tenant's tokens and the records of their creation. */
async function listStored(): Promise<{ tokens: string[]; records: string[] }> {
  const text = 'select id from tokens where tenant_id = $1 order by id';
  const { rows } = await vault.database.owner.query<{ id: string }>(text, [tenant.id]);
  const records = (await vault.auditRecords(tenant.id)).filter((record) => record['entity_type'] === 'token');
  return { tokens: rows.map(({ id }) => id), records: records.map((record) => String(record['entity_id'])).sort() };
}

/** Returns a function that tells whether the request has finished. */
function watchEnd(request: Promise<unknown>): () => boolean {
  let isOver = false;
  void request.finally(() => {
    isOver = true;
  });
  return () => isOver;
}

/** Waits until the vault has no more work in progress in the database. */
async function untilQuiet(): Promise<void> {
  const { database } = vault.server.core;
  const isQuiet = () => {
    const { open, idle, waiting } = database.usage;
    return open === idle && waiting === 0 && [...database.batches.waiting.values()].every((count) => count === 0);
  };
  await untilTrue(isQuiet, { waitingFor: 'the end of all statements' });
}

describe('behind a lock that somebody else holds', () => {
  let holder: pg.PoolClient;
  beforeEach(async () => {
    holder = await vault.database.owner.connect();
    await holder.query('begin');
    await holder.query('lock table tokens in exclusive mode');
  });
  afterEach(async () => {
    await letGo();
    holder.release();
  });
  const letGo = () => holder.query('rollback');

  it('no create is stored that said that nothing was changed', async () => {
    const first = create('first');
    const isOver = watchEnd(first);
    // On a slow machine, the request may time out before it is seen waiting.
    await untilTrue(async () => isOver() || (await countLockWaits(vault.database.owner)) > 0, {
      waitingFor: 'the lock',
    });
    const refused = await Promise.all([first, ...createMany('queued')]);
    for (const answer of refused) expectRefusal(answer);
    expect([...vault.server.core.database.batches.waiting.values()].every((count) => count === 0)).toBe(true);
    await letGo();
    await untilQuiet();
    await store('later');
    const { tokens, records } = await listStored();
    const uncertain = ['first', ...refused.slice(1).map((_, index) => `queued-${index}`)].filter((_, index) =>
      detailOf(refused[index] ?? fail()).includes(perhaps),
    );
    expect(['before', 'later', ...uncertain]).toEqual(expect.arrayContaining(tokens));
    expect(records).toEqual(tokens);
  });

  it('a body may take its own time to arrive', async () => {
    // The remaining work has a time limit too, which a slow machine may exceed. The request is then retried.
    await untilPasses(async () => {
      const { readable, writable } = new TransformStream<Uint8Array>();
      const writer = writable.getWriter();
      const arriving = fetch(`${vault.server.url}/tokens/search`, {
        method: 'POST',
        headers: { 'bt-api-key': tenant.keys.private, 'content-type': 'application/json' },
        body: readable,
        duplex: 'half',
      });
      await writer.write(Buffer.from('{"query":'));
      // At that point, a request that began later has timed out.
      expectRefusal(await create('waiting'));
      await writer.write(Buffer.from('"id:nobody"}'));
      await writer.close();
      expect((await arriving).status).toBe(200);
    });
  });
});

describe('in front of a database that says nothing', () => {
  let frozen: readonly number[] = [];
  afterEach(() => wake());

  /**
   * Freezes the vault's current database connections: statements do not arrive, and results do not come back. New
   * connections reach a healthy server.
   */
  async function freeze(): Promise<void> {
    const { rows } = await vault.database.owner.query<{ pid: number }>(
      `select pid from pg_stat_activity
        where datname = current_database() and application_name like 'strongroom%' and query not like 'listen%'`,
    );
    frozen = rows.map(({ pid }) => pid);
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
  }
  function wake(): void {
    for (const pid of frozen) process.kill(pid, 'SIGCONT');
    frozen = [];
  }

  it('what was sent may have happened, what was not has not, and neither changes later', async () => {
    const happened = ['before'];
    let attempt = 0;
    // On a slow machine, the first request may time out before it is sent, or its statement may time
    // out after it is received.
    const hasHappened = async () => {
      attempt += 1;
      const id = `first-${attempt}`;
      await freeze();
      const first = create(id);
      const isOver = watchEnd(first);
      const { database } = vault.server.core;
      await untilTrue(() => isOver() || database.usage.open > database.usage.idle, {
        waitingFor: 'the batch to be sent',
      });
      const [sent, ...queued] = await Promise.all([first, ...createMany(`queued-${attempt}`)]);
      for (const answer of [sent, ...queued]) {
        expectRefusal(answer);
        expect(detailOf(answer)).toContain(`within its time limit of ${limitSeconds} second`);
      }
      for (const answer of queued) expect(detailOf(answer)).toContain(nothing);
      wake();
      await untilQuiet();
      const { tokens } = await listStored();
      const isStored = tokens.includes(id);
      if (isStored) happened.push(id);
      expect(tokens).toEqual(happened.toSorted());
      if (!isStored) return false;
      expect(detailOf(sent)).toContain(perhaps);
      return true;
    };
    await untilTrue(hasHappened, { waitingFor: 'a statement that was sent and took effect' });
    await store('later');
    const { tokens, records } = await listStored();
    expect(tokens).toEqual([...happened, 'later'].toSorted());
    expect(records).toEqual(tokens);
  });

  it('a retry with the same idempotency key learns how the first request ended', async () => {
    // The outcome of the first request is known if it arrives within two seconds of the statement's own limit. A slow
    // machine may miss that.
    let attempt = 0;
    const hasLearned = async () => {
      attempt += 1;
      const [id, queuedId] = [`first-${attempt}`, `queued-${attempt}`];
      const key = { 'bt-idempotency-key': crypto.randomUUID() };
      const queuedKey = { 'bt-idempotency-key': crypto.randomUUID() };
      await freeze();
      const [first, queued] = await Promise.all([create(id, key), create(queuedId, queuedKey)]);
      wake();
      // In the meantime, the pool may have opened a new connection for the second request, which then succeeds.
      expect([first.status, queued.status]).toEqual([503, expect.toBeOneOf([503, 201])]);
      await untilQuiet();
      const repeated = await untilPasses(async () => {
        const answer = await create(id, key);
        expect(answer.body).not.toMatchObject({ type: '/docs/errors/idempotency-in-flight' });
        return answer;
      });
      const { tokens, records } = await listStored();
      expect(new Set(tokens).size).toBe(tokens.length);
      expect(records).toEqual(tokens);
      return repeated.status === 201 && (repeated.body as { id: string }).id === id;
    };
    await untilTrue(hasLearned, { waitingFor: 'an outcome that came late' });
  });
});

const fail = (): never => {
  throw new Error('There are as many answers as requests.');
};
