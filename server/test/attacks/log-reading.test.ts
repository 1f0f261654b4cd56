import { type ClientRequest, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { StatementTap } from '../harness/statement-tap.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
let tap: StatementTap;
beforeAll(async () => {
  vault = await TestVault.start();
  tap = new StatementTap();
});
afterAll(async () => {
  tap.close();
  await vault.stop();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  await sealAll(vault.database, signerOf(vault.server));
});

/**
 * Two filters that match in every minute, but never in the same record. Every page is empty, so nothing is written to
 * the client, and a failed write cannot reveal that the client has disconnected.
 */
const never = 'operation=read&outcome=denied';

describe('an export whose client has gone', () => {
  const isPage = ({ text }: { readonly text: string }) => text.includes('audit_facet_position');
  const pagesRead = () => tap.sent.filter(isPage).length;
  const path = `/logs/export?${never}`;
  const get = (target: string) => vault.request('GET', target, { key: tenant.keys.management });
  const abandoned = () => vault.logLines.filter((line) => line.includes('request abandoned')).length;

  async function fillWithNeighbours(minutes: number): Promise<void> {
    await vault.database.owner.query(
      `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome)
        select $1, now() - make_interval(mins => n), 'token', '*', operation, outcome
        from generate_series(1, $2) n, (values ('read', 'success'), ('create', 'denied')) as v(operation, outcome)`,
      [tenant.id, minutes],
    );
    await sealAll(vault.database, signerOf(vault.server));
    await vault.database.owner.query('analyze audit_records, audit_facets');
  }

  /** Starts an export and holds it before its first page. */
  async function hold(target: string): Promise<{ readonly request: ClientRequest; readonly release: () => void }> {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    tap.interrupt(isPage, () => {
      reach();
      return released;
    });
    const request = httpRequest(`${vault.server.url}${target}`, { headers: { 'bt-api-key': tenant.keys.management } });
    request.on('error', () => undefined).end();
    await reached;
    return { request, release };
  }

  it('reads no further', async () => {
    await fillWithNeighbours(11_000);
    const atFirst = pagesRead();
    expect((await get(path)).status).toBe(200);
    const pages = pagesRead() - atFirst;
    expect(pages).toBeGreaterThan(2);

    const before = abandoned();
    const { request, release } = await hold(path);
    request.destroy();
    await untilTrue(() => abandoned() > before, { waitingFor: 'the server to notice' });
    release();
    // This export has the same length and began later, so the first one would have finished too.
    expect((await get(path)).status).toBe(200);
    expect(pagesRead() - atFirst).toBe(2 * pages + 1);
  });

  it('keeps its slot while it reads', async () => {
    const before = abandoned();
    const held = [await hold(path), await hold(path)];
    for (const { request } of held) request.destroy();
    await untilTrue(() => abandoned() === before + 2, { waitingFor: 'the server to notice' });
    expect((await get(path)).status).toBe(429);
    for (const { release } of held) release();
    await untilTrue(async () => (await get(path)).status === 200, { waitingFor: 'a slot' });
  });
});

describe('filters that cost much', () => {
  it('take two connections of a tenant at most', async () => {
    const lock = await vault.database.owner.connect();
    const waiting = async () => {
      const { rows } = await lock.query<{ n: number }>(
        `select count(*)::int as n from pg_locks where relation = 'audit_facet_position'::regclass and not granted`,
      );
      return rows[0]?.n ?? 0;
    };
    const asked: Promise<unknown>[] = [];
    try {
      await lock.query('begin; lock table audit_facet_position in access exclusive mode');
      const received = () => vault.server.core.database.usage.waiting;
      for (let n = 0; n < 4; n += 1) {
        for (const path of [`/logs?${never}`, '/logs?outcome=denied'])
          asked.push(vault.request('GET', path, { key: tenant.keys.management }));
      }
      await untilTrue(async () => (await waiting()) >= 2, { waitingFor: 'statements that wait' });
      // Any statement that was sent in the meantime would have arrived by now.
      const other = await vault.makeTenant();
      for (let n = 0; n < 20; n += 1)
        expect((await vault.request('GET', '/logs', { key: other.keys.management })).status).toBe(200);
      expect({ statements: await waiting(), queued: received() }).toEqual({ statements: 2, queued: 0 });
    } finally {
      await lock.query('rollback');
      lock.release();
      await Promise.all(asked);
    }
  });
});
