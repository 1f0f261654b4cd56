import { encodeKeyId } from '../../platform/keyring/sign-in/api-key.ts';
import { OperatorError } from '../../core/errors/operator-error.ts';
import type { CellConfig } from '../../platform/config/config.ts';
import { AdminSession } from '../../platform/database/moves/admin-session.ts';
import { type CellSummary, findSummary, listMovedKeys } from '../../platform/database/moves/cell-summary.ts';
import { adminUrlOf } from './cell-end.ts';

export interface DescribedCell {
  readonly name: string;
  readonly summary: CellSummary;
}

export interface DescribedCells {
  readonly cells: readonly DescribedCell[];
  /** The cells of moved keys, by the part of the key that routers compare. */
  readonly movedKeys: ReadonlyMap<string, string>;
}

/** Returns what a router needs to know of some cells, and what an operator wants to know of them. */
export async function describeCells(configs: readonly CellConfig[]): Promise<DescribedCells> {
  const cells: DescribedCell[] = [];
  const departed = new Map<string, string>();
  const arrived = new Map<string, string>();
  for (const config of configs) {
    if (config.cell === undefined) throw new OperatorError('A vault without STRONGROOM_CELL is not a cell.');
    const admin = await AdminSession.open(adminUrlOf(config), 'STRONGROOM_ADMIN_DATABASE_URL');
    try {
      cells.push({ name: config.cell, summary: await findSummary(admin) });
      for (const { keyId, cell } of await listMovedKeys(admin, config.cell)) {
        (cell === config.cell ? arrived : departed).set(encodeKeyId(keyId), cell);
      }
    } finally {
      await admin.close();
    }
  }
  // The cell that has a tenant knows best: a cell that it left long ago only knows the next one.
  return { cells, movedKeys: new Map([...departed, ...arrived]) };
}
