import { OperatorError } from '../../core/errors/operator-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { listMovedTables } from '../../platform/database/moves/moved-tables.ts';
import { findMove } from '../../platform/database/moves/move-row.ts';
import { type EndReadiness, findReadiness, findTenantState } from '../../platform/database/moves/readiness.ts';
import { findSealerIdle } from '../../platform/database/moves/sealing-place.ts';
import { listMonths, listSealedMonths, listTablesWithRows } from '../../platform/database/moves/tenant-rows.ts';
import type { CellEnd, MoveEnds } from './cell-end.ts';

/** One slot for the subscription, and two for copying tables. */
const slotsNeeded = 3;
const idleSecondsMax = 30;

/** Throws with everything that stands in the way of a move. Nothing has been changed yet. */
export async function requireMovable({ source, target }: MoveEnds, tenantId: TenantId): Promise<void> {
  const [there, here] = [await findReadiness(source.admin), await findReadiness(target.admin)];
  const problems = [
    ...nameProblems(source, target),
    ...databaseProblems(there, here),
    ...(await tenantProblems({ source, target }, tenantId)),
    ...(await workerProblem(source)),
    ...(await workerProblem(target)),
  ];
  if (problems.length > 0)
    throw new OperatorError(`The tenant cannot be moved:\n${problems.map((it) => `- ${it}`).join('\n')}`);
  // Throws if a table cannot be replicated.
  await listMovedTables(source.admin);
}

function nameProblems(source: CellEnd, target: CellEnd): string[] {
  return source.name === target.name ? [`Both cells have the name ${source.name}.`] : [];
}

function databaseProblems(source: EndReadiness, target: EndReadiness): string[] {
  const problem = (isOne: boolean, text: string) => (isOne ? [text] : []);
  return [
    ...problem(source.schema !== target.schema, 'The cells run different versions. Upgrade one of them first.'),
    ...problem(
      source.walLevel !== 'logical',
      'Set wal_level = logical in the PostgreSQL of the source, and restart it.',
    ),
    ...problem(
      source.freeSlots < slotsNeeded || source.freeSenders < slotsNeeded,
      `The PostgreSQL of the source needs ${slotsNeeded} free replication slots and senders: raise max_replication_slots and max_wal_senders.`,
    ),
    ...problem(
      target.workers < 2,
      'Set max_logical_replication_workers to at least 4 in the PostgreSQL of the target.',
    ),
    ...problem(
      !source.seesEverything || !target.isSuperuser,
      'STRONGROOM_ADMIN_DATABASE_URL must be the address of a superuser in the target, and of a superuser in the source too.',
    ),
  ];
}

async function tenantProblems({ source, target }: MoveEnds, tenantId: TenantId): Promise<string[]> {
  const state = await findTenantState(source.admin, tenantId);
  if (state === 'absent') return ['There is no such tenant in the source.'];
  if (state === 'deleted') return ['The tenant is deleted. Restore it first.'];
  if (state === 'sealing-stopped') return ['Sealing of the tenant is stopped. Run `strongroom audit verify` first.'];
  const arriving = await findMove(source.admin, tenantId, 'in');
  if (arriving?.isDecided === false) return [`The tenant has not arrived from the cell ${arriving.cell} yet.`];
  return [...(await arrivalProblems(target, tenantId)), ...(await monthProblems(source, tenantId))];
}

async function arrivalProblems({ admin }: CellEnd, tenantId: TenantId): Promise<string[]> {
  // The source knows of no move, so this is another one.
  const arrival = await findMove(admin, tenantId, 'in');
  if (arrival !== undefined) {
    const isLeft = (await findMove(admin, tenantId, 'out')) !== undefined;
    return [
      isLeft
        ? 'The target has kept the tenant since it left there. Run the move from there with --finish first.'
        : `The target has the tenant already: it came from the cell ${arrival.cell}, or is arriving from there.`,
    ];
  }
  const tables = await listTablesWithRows(admin, tenantId);
  return tables.length === 0 ? [] : [`The target has rows of the tenant already, in ${tables.join(', ')}.`];
}

/** Records of a dropped month are not there any more, and what explains their absence is signed by the source. */
async function monthProblems({ admin }: CellEnd, tenantId: TenantId): Promise<string[]> {
  const present = new Set(await listMonths(admin));
  const dropped = (await listSealedMonths(admin, tenantId)).filter((month) => !present.has(month));
  return dropped.length === 0
    ? []
    : [
        `Months of its log were dropped or archived in the source (${dropped.join(', ')}), and could not be verified in the target.`,
      ];
}

async function workerProblem({ name, admin }: CellEnd): Promise<string[]> {
  const idle = await findSealerIdle(admin);
  return idle !== null && idle <= idleSecondsMax
    ? []
    : [`No worker of the cell ${name} is sealing. Start \`strongroom work\`.`];
}
