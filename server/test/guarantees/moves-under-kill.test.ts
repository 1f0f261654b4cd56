import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveSteps } from '../../src/app/moves/move-steps.ts';
import { type CellTenant, MovingCell, startMove } from '../harness/moving-cell.ts';
import { MovingLoad } from '../harness/moving-load.ts';
import { Program } from '../harness/program.ts';

const victims = ['the command', 'the source', 'the target'] as const;
const places = moveSteps.flatMap(({ name }) => victims.map((victim) => ({ step: name, victim })));
/** `npm run test:moves` tries every place: each step of the source's list, and each of the three that can be killed. */
const killCount = Math.min(places.length, Number(process.env['MOVE_KILLS'] ?? 2));
/** The last steps decide most, so the short form takes its places from them in turn. */
const chosen =
  killCount === places.length
    ? places
    : places.filter(({ step }) => ['closed', 'compared', 'decided', 'opened'].includes(step)).slice(-killCount);
const attemptsMax = 8;
const hourMs = 3_600_000;
/** Until this step is done, a move can be cancelled. Every third one that was interrupted before is. */
const cancelledEvery = 3;

let eu: MovingCell;
let us: MovingCell;
beforeAll(async () => {
  [eu, us] = await Promise.all([MovingCell.start('eu1'), MovingCell.start('us1')]);
});
afterAll(async () => {
  await Promise.all([eu.stop(), us.stop()]);
  await Program.killAll();
});

async function kill(victim: (typeof victims)[number], moving: Program): Promise<void> {
  if (victim === 'the command') await moving.stop('SIGKILL');
  else await (victim === 'the source' ? eu : us).postgres.killAndRestart();
  await moving.exit();
}

/** Runs the command until it succeeds. Databases that were killed need a moment, and so do their clients. */
async function insist(tenantId: string, ...flags: string[]): Promise<boolean> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const { code, stderr } = await startMove(tenantId, { source: eu, target: us }, '--stop-max', '30', ...flags).exit();
    if (code === 0) return true;
    if (flags.includes('--cancel') && stderr.includes('has moved to the cell')) return false;
    if (flags.includes('--cancel') && stderr.includes('is not being moved')) return true;
  }
  throw new Error(`The command ${flags.join(' ')} did not succeed.`);
}

/** Lists the cells in which the tenant is open. */
async function findHomes({ id }: CellTenant): Promise<string[]> {
  const homes: string[] = [];
  for (const cell of [eu, us]) {
    const open = await cell.query(
      `select from tenants t where t.id = $1 and not exists (
        select from tenant_moves m where m.tenant_id = t.id and m.closed_until > now())`,
      [id],
    );
    if (open.length > 0) homes.push(cell.name);
  }
  return homes;
}

describe('a move that is interrupted', () => {
  it.each(chosen.map((place, index) => ({ ...place, cancels: index % cancelledEvery === 1 })))(
    'by killing $victim at "$step" loses nothing and leaves the tenant in one cell (cancelled if possible: $cancels)',
    { timeout: hourMs },
    async ({ step, victim, cancels }) => {
      const tenant = await eu.makeTenant();
      const load = await MovingLoad.create([eu, us], eu, { ...tenant, perSecond: 40 });
      await load.fill(100);
      load.start();
      const moving = startMove(tenant.id, { source: eu, target: us }, '--stop-max', '30');
      await moving.output(`"step":"${step}"`).catch(() => undefined);
      await kill(victim, moving);
      expect((await findHomes(tenant)).length).toBeLessThan(2);
      const isCancelled = cancels && (await insist(tenant.id, '--cancel'));
      if (!isCancelled) await insist(tenant.id);
      await load.stop();
      expect(await findHomes(tenant)).toEqual([isCancelled ? 'eu1' : 'us1']);
      expect(load.wrong).toEqual([]);
      expect(await load.findWrong()).toEqual([]);
      const log = await (isCancelled ? eu : us).run('audit', 'verify', '--tenant', tenant.id, '--json');
      expect(JSON.parse(log)).toMatchObject({ findings: [] });
    },
  );
});
