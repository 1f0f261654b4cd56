import type { FactDefinition, Observation } from '../../../core/evidence/fact.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { AuditConfig } from '../../../platform/config/audit-settings.ts';
import type { VaultConfig } from '../../../platform/config/config.ts';
import type { StreamConfig } from '../../../platform/config/log-stream-config.ts';
import type { Environment } from '../../../platform/config/setting.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { WholeLog } from '../../operations/open-log.ts';

/** Everything that facts are read from. */
export interface EvidenceReading {
  /** A pool with long timeouts and two connections, so that servers lose no capacity to it. */
  readonly database: Database;
  readonly log: WholeLog;
  readonly config: VaultConfig & { readonly audit: AuditConfig };
  readonly streams: readonly StreamConfig[];
  readonly environment: Environment;
  readonly version: string;
  readonly period: { readonly from: Date; readonly to: Date };
  /** The tenant of a bundle for one tenant. It must say nothing about others. */
  readonly onlyTenant: TenantId | undefined;
  readonly onRecords: (verified: number) => void;
}

/** The observations of a group by the id of the fact. One for every fact of the group that it can say something about. */
export type Observations = Readonly<Record<string, Observation>>;

/** Facts that are read together. */
export interface FactGroup {
  readonly name: string;
  readonly facts: readonly FactDefinition[];
  readonly readVault?: (reading: EvidenceReading) => Promise<Observations>;
  readonly readTenant?: (reading: EvidenceReading, tenantId: TenantId) => Promise<Observations>;
}

/** Returns an observation about rows that are counted, and not listed one by one. */
export function countedRows(tenantId: TenantId | null, figure: Observation['figure'], affected: number): Observation {
  const listed = affected === 0 || tenantId === null ? [] : [{ tenantId, kind: 'tenant', id: tenantId }];
  return { figure, affected: listed, affectedTotal: affected };
}

/** Returns an observation about the rows of one kind with these ids. */
export function listedRows(
  tenantId: TenantId,
  kind: string,
  ids: readonly string[],
  figure: Observation['figure'] = {},
): Observation {
  return { figure, affected: ids.map((id) => ({ tenantId, kind, id })) };
}

/** Returns an observation about a part of the installation that is or is not as it should be. */
export function setting(name: string, isAffected: boolean, figure: Observation['figure'] = {}): Observation {
  return { figure, affected: isAffected ? [{ tenantId: null, kind: 'installation', id: name }] : [] };
}

export const readOnVault = {
  notProvable: 'the figure was read from the database at that time, and nothing is kept that would show it later',
};
export const readFromSettings = {
  notProvable: 'it is a setting of the machine on which the command ran, which cannot be seen from elsewhere',
};
