import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { type CellTenant, MovingCell, startMove } from '../harness/moving-cell.ts';
import { MovingLoad } from '../harness/moving-load.ts';
import { Program } from '../harness/program.ts';

/** `npm run test:moves` runs the long form: 100,000 tokens, closed for two seconds at most. */
const tokenCount = Number(process.env['MOVE_TOKENS'] ?? 500);
const stopMaxMs = Number(process.env['MOVE_STOP_MAX_MS'] ?? 60_000);
const hourMs = 3_600_000;
const documentedTenant = '01a1f430-0000-7000-8000-000000000001';

let eu: MovingCell;
let us: MovingCell;
let both: { source: MovingCell; target: MovingCell };
let tenant: CellTenant;
let load: MovingLoad;
let oldProof: string;
/** A backup of the target from before the move. */
let earlyDump: string;
beforeAll(async () => {
  [eu, us] = await Promise.all([MovingCell.start('eu1'), MovingCell.start('us1')]);
  both = { source: eu, target: us };
});
afterAll(() => Promise.all([eu.stop(), us.stop()]));

const ask = async (cell: MovingCell, key: string, path: string) => {
  const response = await fetch(`${cell.url}${path}`, { headers: { 'bt-api-key': key } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

const verify = async (cell: MovingCell) =>
  JSON.parse(await cell.run('audit', 'verify', '--tenant', tenant.id, '--json')) as object;

const countTokens = async (cell: MovingCell) => {
  const [row] = await cell.query<{ n: number }>('select count(*)::integer as n from tokens where tenant_id = $1', [
    tenant.id,
  ]);
  return row?.n;
};

/** Adds two members. One of them has an account in the target too, under another id. */
async function addPeople(): Promise<void> {
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
  await us.query(`insert into users (id, email) values (gen_random_uuid(), 'Ada@example.com')`);
  await eu.query(`insert into users (id, email) values ($1, 'ada@example.com'), ($2, 'bob@example.com')`, [
    first,
    second,
  ]);
  await eu.query(
    `insert into members (tenant_id, id, user_id, role, created_by)
      values ($1::uuid, gen_random_uuid(), $2::uuid, 'ADMIN', null), ($1, gen_random_uuid(), $3::uuid, 'READ_ONLY', $2)`,
    [tenant.id, first, second],
  );
  await eu.query('update applications set granted_by = $2 where tenant_id = $1', [tenant.id, first]);
}

describe('a tenant that moves under load', () => {
  afterEach(() => load.stop());

  it(`loses and alters none of ${tokenCount} tokens, and is closed for a moment`, { timeout: hourMs }, async () => {
    tenant = await eu.makeTenant();
    load = await MovingLoad.create([eu, us], eu, tenant);
    await load.fill(tokenCount);
    oldProof = await eu.prove(tenant.id);
    earlyDump = await us.dump();
    await addPeople();
    load.start();
    const { code, stdout, stderr } = await startMove(tenant.id, both, '--stop-max', '60').exit();
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    const before = load.done;
    await untilTrue(() => load.done > before + 200, { waitingFor: 'requests in the new cell' });
    await load.stop();
    expect(load.wrong).toEqual([]);
    expect(load.served).toEqual(['eu1', 'us1']);
    expect(await load.findWrong()).toEqual([]);
    process.stdout.write(`closed for ${Math.round(load.longestStopMs)} ms, ${load.done} requests\n`);
    expect(load.longestStopMs).toBeLessThan(stopMaxMs);
  });

  it('has a log that verifies in both cells, and proofs that stay valid', async () => {
    for (const cell of [us, eu]) expect(await verify(cell)).toMatchObject({ findings: [] });
    const check = async (proof: string) => {
      const { public_key: key } = JSON.parse(await readFile(proof, 'utf8')) as { public_key: string };
      return (await Program.run(['audit', 'check', proof, '--public-key', key])).code;
    };
    expect(await check(oldProof)).toBe(0);
    expect(await check(await us.prove(tenant.id))).toBe(0);
  });

  it('keeps its keys, and has others of its own', async () => {
    const { status, body } = await ask(eu, load.key, '/tokens');
    expect({ status, cell: body['cell'] }).toEqual({ status: 421, cell: 'us1' });
    expect((await ask(us, load.key, '/tokens')).status).toBe(200);
    expect((await ask(us, tenant.management, '/applications')).status).toBe(200);
    const fresh = await MovingLoad.create([eu, us], us, tenant);
    expect(fresh.key).toMatch(/^key_prod_us1_pvt_/);
    expect((await ask(us, fresh.key, '/tokens')).status).toBe(200);
    expect((await ask(eu, fresh.key, '/tokens')).body['cell']).toBe('us1');
  });

  it('has the same people, under the ids that they have in the new cell', async () => {
    const people = await us.query(
      `select u.email, m.role, inviter.email as by from members m join users u on u.id = m.user_id
        left join users inviter on inviter.id = m.created_by where m.tenant_id = $1 and m.role <> 'OWNER' order by u.email`,
      [tenant.id],
    );
    expect(people).toEqual([
      { email: 'Ada@example.com', role: 'ADMIN', by: null },
      { email: 'bob@example.com', role: 'READ_ONLY', by: 'Ada@example.com' },
    ]);
    const grants = await us.query(
      `select distinct u.email from applications a join users u on u.id = a.granted_by where a.tenant_id = $1`,
      [tenant.id],
    );
    expect(grants).toEqual([{ email: 'Ada@example.com' }]);
  });

  it('is told to routers', async () => {
    const map = await us.run('cells', eu.settingsFile, us.settingsFile, '--map', 'moved');
    expect(map).toContain(`${load.key.split('_')[4]?.slice(0, 22)} us1\n`);
  });
});

describe('a source that has lost that the tenant left, as after a failover', () => {
  it('changes nothing in the target, and can be closed again', async () => {
    const count = async () => ({
      tokens: await countTokens(us),
      keys: await us.query('select purpose, version from tenant_keys where tenant_id = $1 order by 1, 2', [tenant.id]),
    });
    const before = await count();
    await eu.query(
      `update tenant_moves set decided_at = null, closed_until = null, step = 'settled' where tenant_id = $1 and direction = 'out'`,
      [tenant.id],
    );
    for (const flags of [['--cancel'], []]) {
      const { code, stderr } = await startMove(tenant.id, both, ...flags).exit();
      expect({ code, stderr }).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('The cell us1 has opened the tenant, but the source has lost') as string,
      });
      expect(await count()).toEqual(before);
    }
    await eu.query(await closingStatement());
    expect((await startMove(tenant.id, both).exit()).code).toBe(0);
    expect((await ask(eu, load.key, '/tokens')).body['cell']).toBe('us1');
    expect(await load.findWrong()).toEqual([]);
  });

  /** Returns the statement that the documentation names for this. */
  async function closingStatement(): Promise<string> {
    const page = await readFile(new URL('../../../docs/deploy/cells.md', import.meta.url), 'utf8');
    const statement = /```sql\n(update tenant_moves [^`]*)```/.exec(page)?.[1] ?? '';
    expect(statement).toContain(documentedTenant);
    return statement.replaceAll(documentedTenant, tenant.id);
  }
});

describe('a target that has lost what was compared, as after a restore', () => {
  it('does not open what it has, and opens the tenant if it has what was compared', async () => {
    const close = (attempt: string) =>
      us.query(
        `update tenant_moves set decided_at = null, closed_until = 'infinity', step = 'compared', attempt = $2
          where tenant_id = $1 and direction = 'in'`,
        [tenant.id, attempt],
      );
    const [compared] = await eu.query<{ attempt: string }>(
      `select attempt from tenant_moves where tenant_id = $1 and direction = 'out'`,
      [tenant.id],
    );
    await close(crypto.randomUUID());
    const { code, stdout, stderr } = await startMove(tenant.id, both).exit();
    expect({ code, stderr }, stdout).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not have the tenant as it was compared') as string,
    });
    expect([421, 503]).toContain((await ask(us, load.key, '/tokens')).status);
    await close(compared?.attempt ?? '');
    expect((await startMove(tenant.id, both).exit()).code).toBe(0);
    expect(await load.findWrong()).toEqual([]);
  });
});

describe('the source', () => {
  it('keeps everything, and refuses to forget it without a backup of the target that was made since', async () => {
    const kept = await countTokens(eu);
    expect(kept).toBeGreaterThanOrEqual(tokenCount);
    const finish = async (dump: string) => startMove(tenant.id, both, '--finish', '--backup', dump).exit();
    for (const dump of [earlyDump, await eu.dump()]) {
      expect({ code: (await finish(dump)).code, kept: await countTokens(eu) }).toEqual({ code: 1, kept });
    }
    const dump = await us.dump();
    await eu.query(`insert into audit_streams (name) values ('siem'), ('of-others')`);
    await eu.query(`insert into audit_stream_positions (tenant_id, stream, number) values ($1, 'siem', 1)`, [
      tenant.id,
    ]);
    const unsent = await finish(dump);
    expect(unsent).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has not been sent to the end by \\"siem\\".') as string,
    });
    expect(await countTokens(eu)).toBe(kept);
    await eu.query('delete from audit_streams');
    const done = await finish(dump);
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(await countTokens(eu)).toBe(0);
    expect(await load.findWrong()).toEqual([]);
    expect((await ask(eu, load.key, '/tokens')).body['cell']).toBe('us1');
    const [arrival] = await us.query<{ removed_at: Date | null }>(
      `select removed_at from tenant_moves where tenant_id = $1 and direction = 'in'`,
      [tenant.id],
    );
    expect(arrival?.removed_at).toBeInstanceOf(Date);
  });
});

describe('a tenant that has moved', () => {
  it('can move back, with its log, and leaves nothing closed', async () => {
    const { code, stderr } = await startMove(tenant.id, { source: us, target: eu }, '--stop-max', '60').exit();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await load.findWrong()).toEqual([]);
    expect((await ask(eu, load.key, '/tokens')).status).toBe(200);
    expect(await verify(eu)).toMatchObject({ findings: [] });
  });

  it('can come to the same cell again, once that has been cleared', async () => {
    const back = { source: us, target: eu };
    const early = await startMove(tenant.id, both).exit();
    expect(early.stderr).toContain('Run the move from there with --finish first.');
    const done = await startMove(tenant.id, back, '--finish', '--backup', await eu.dump()).exit();
    expect(done, done.stderr).toMatchObject({ code: 0 });
    const { code, stderr } = await startMove(tenant.id, both, '--stop-max', '60').exit();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await load.findWrong()).toEqual([]);
    expect(await verify(us)).toMatchObject({ findings: [] });
  });
});

describe('a move that is cancelled', () => {
  it('leaves nothing in the target, and the tenant as it was', async () => {
    tenant = await eu.makeTenant();
    load = await MovingLoad.create([eu, us], eu, tenant);
    await load.fill(200);
    const moving = startMove(tenant.id, both);
    await moving.output('"step":"copied"');
    await moving.stop('SIGKILL');
    await crossingMoveIsRefused();
    await cancellingElsewhereIsRefused();
    const { code, stderr } = await startMove(tenant.id, both, '--cancel').exit();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await countTokens(us)).toBe(0);
    for (const cell of [eu, us]) {
      const left = await cell.query(
        `select 1 from tenant_moves where tenant_id = $1
        union all select 1 from pg_publication where pubname like 'strongroom%'
        union all select 1 from pg_replication_slots union all select 1 from pg_subscription`,
        [tenant.id],
      );
      expect(left).toEqual([]);
    }
    expect(await load.findWrong()).toEqual([]);
    expect(load.served).toEqual(['eu1']);
  });

  /** A tenant that comes from the target meanwhile would stop sealing there. */
  async function crossingMoveIsRefused(): Promise<void> {
    const crossing = await us.makeTenant();
    const back = { source: us, target: eu };
    const refused = await startMove(crossing.id, back).exit();
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Another tenant is leaving the target.') as string,
    });
    expect((await startMove(crossing.id, back, '--cancel').exit()).code).toBe(0);
  }

  async function cancellingElsewhereIsRefused(): Promise<void> {
    const other = `${us.settingsFile}.other`;
    await writeFile(other, (await readFile(us.settingsFile, 'utf8')).replace("CELL='us1'", "CELL='ap1'"), {
      mode: 0o600,
    });
    const command = ['tenants', 'move', '--tenant', tenant.id, '--to', other, '--cancel'];
    const { code, stderr } = await Program.run(command, eu.settings);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is moving to the cell us1, but the settings are those of ap1') as string,
    });
  }
});
