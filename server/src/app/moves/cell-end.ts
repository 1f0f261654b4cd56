import { OperatorError } from '../../core/errors/operator-error.ts';
import type { CellConfig } from '../../platform/config/config.ts';
import { AdminSession } from '../../platform/database/moves/admin-session.ts';
import { VaultCore } from '../wiring/vault-core.ts';

const variable = 'STRONGROOM_ADMIN_DATABASE_URL or STRONGROOM_DATABASE_OWNER_URL';

/** One of the two cells between which a tenant moves. */
export class CellEnd {
  readonly name: string;
  readonly config: CellConfig;
  readonly core: VaultCore;
  readonly admin: AdminSession;

  static async open(config: CellConfig): Promise<CellEnd> {
    if (config.cell === undefined) {
      throw new OperatorError(
        'Both vaults need a name: set STRONGROOM_CELL for every process of each, because the keys of a tenant say where it is.',
      );
    }
    const core = await VaultCore.open(config);
    try {
      const admin = await AdminSession.open(adminUrlOf(config), variable);
      return new CellEnd({ name: config.cell, config, core, admin });
    } catch (error) {
      await core.close();
      throw error;
    }
  }

  private constructor(parts: { name: string; config: CellConfig; core: VaultCore; admin: AdminSession }) {
    this.name = parts.name;
    this.config = parts.config;
    this.core = parts.core;
    this.admin = parts.admin;
  }

  async close(): Promise<void> {
    await Promise.all([this.admin.close(), this.core.close()]);
  }
}

export function adminUrlOf({ moving, database }: Pick<CellConfig, 'moving' | 'database'>): string {
  return moving.adminUrl ?? database.ownerUrl;
}

/** Returns the address at which the PostgreSQL of the other cell reaches this one. */
export function replicationUrlOf(config: Pick<CellConfig, 'moving' | 'database'>): string {
  return config.moving.replicationUrl ?? adminUrlOf(config);
}

/** The two ends of a move. */
export interface MoveEnds {
  readonly source: CellEnd;
  readonly target: CellEnd;
}

/** Opens both cells, and closes them after the work. */
export async function withEnds<T>(
  configs: { readonly source: CellConfig; readonly target: CellConfig },
  work: (ends: MoveEnds) => Promise<T>,
): Promise<T> {
  const source = await CellEnd.open(configs.source);
  try {
    const target = await CellEnd.open(configs.target);
    try {
      return await work({ source, target });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
