import { OperatorError } from '../../core/errors/operator-error.ts';
import type { Fact } from '../../core/evidence/fact.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { noSingleEntity, successEvent } from '../../platform/audit/record/audit-event.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { LogConfig } from '../../platform/config/config.ts';
import type { StreamConfig } from '../../platform/config/log-stream-config.ts';
import type { Environment } from '../../platform/config/setting.ts';
import type { Database } from '../../platform/database/database.ts';
import { listTenantIds } from '../../platform/database/ground/database-inspection.ts';
import { type WholeLog, withLog } from '../operations/open-log.ts';
import type { BundleTarget } from './bundle/bundle-target.ts';
import type { EvidenceView } from './bundle/evidence-schema.ts';
import { toEvidenceView } from './bundle/evidence-view.ts';
import { withBundleFolder, writeBundle } from './bundle/write-bundle.ts';
import { writeProofs } from './bundle/write-proofs.ts';
import { collectFacts } from './collect-facts.ts';
import type { EvidenceReading } from './facts/fact-group.ts';

/** What evidence is asked for. */
export interface EvidenceOrder {
  readonly config: LogConfig;
  readonly streams: readonly StreamConfig[];
  readonly environment: Environment;
  readonly version: string;
  /** One tenant, or all if undefined. */
  readonly tenantId: TenantId | undefined;
  readonly period: { readonly from: Date; readonly to: Date };
  readonly onStep: (done: number, total: number) => void;
  readonly onRecords: (verified: number) => void;
  readonly onFailure: (group: string, error: Error) => void;
}

/** Writes a signed bundle to a new folder. */
export function takeEvidence(order: EvidenceOrder, directory: string): Promise<EvidenceView> {
  return withBundleFolder(directory, (target) => withLog(order.config, (log) => writeEvidence(order, log, target)));
}

/** Writes a signed bundle of a vault that is open already. */
export function writeEvidence(order: EvidenceOrder, log: WholeLog, target: BundleTarget): Promise<EvidenceView> {
  return withReading(order, log, async (reading, tenantIds) => {
    const startedAt = new Date();
    const facts = await collectFacts(reading, { tenantIds, ...order });
    await writeProofs(target, reading, tenantIds);
    const signer = log.core.systemKeys.auditSigner();
    const { tenantId, version, period } = order;
    const found = { facts, startedAt, finishedAt: new Date(), publicKey: signer.publicKey };
    const view = toEvidenceView({ ...found, version, period, tenantId, tenants: tenantIds.length });
    await writeBundle(target, view, signer);
    return view;
  });
}

/** Returns the facts alone, for a list of what to do. */
export function readFacts(order: EvidenceOrder): Promise<Fact[]> {
  return withLog(order.config, (log) =>
    withReading(order, log, (reading, tenantIds) => collectFacts(reading, { tenantIds, ...order })),
  );
}

/** That evidence is taken is recorded in the log of each tenant before it is read. */
async function withReading<T>(
  order: EvidenceOrder,
  log: WholeLog,
  work: (reading: EvidenceReading, tenantIds: readonly TenantId[]) => Promise<T>,
): Promise<T> {
  const { database } = log;
  const tenantIds = await listTenantIds(database);
  const { tenantId } = order;
  if (tenantId !== undefined && !tenantIds.includes(tenantId)) throw new OperatorError('There is no such tenant.');
  const chosen = tenantId === undefined ? tenantIds : [tenantId];
  for (const id of chosen) await recordTaking(database, id);
  return work({ ...order, database, log, onlyTenant: tenantId }, chosen);
}

async function recordTaking(database: Database, tenantId: TenantId): Promise<void> {
  const event = { ...successEvent('log', noSingleEntity, 'read'), details: { fields: ['evidence'] } };
  await database.forTenant(tenantId, (tx) => recordInTransaction(tx, tenantId, 'system', event));
}
