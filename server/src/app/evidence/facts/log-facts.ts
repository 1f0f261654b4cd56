import { access } from 'node:fs/promises';
import type { FactDefinition } from '../../../core/evidence/fact.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { counted } from '../../../core/text/counted.ts';
import { readStreamStatus } from '../../../features/log-streams/index.ts';
import { compareWithAnchor } from '../../../platform/audit/verify/anchor-comparison.ts';
import { LogVerifier, type TenantVerdict } from '../../../platform/audit/verify/log-verifier.ts';
import {
  countedRows,
  type EvidenceReading,
  type FactGroup,
  readFromSettings,
  readOnVault,
  setting,
} from './fact-group.ts';
import { countLog, findVerificationStart } from './log-store.ts';

const waitingSecondsMax = 600;
const streamLagSecondsMax = 300;
const monthsMin = 12;

const operations: FactDefinition = {
  id: 'operations',
  row: 'what-is-logged',
  foundBy: 'the counters of the log over the hours of the period',
  proof: readOnVault,
  figure: { records: 'sum', denied: 'sum' },
  holds: ({ records = 0, denied = 0 }) =>
    `Records of the period: ${records.toLocaleString('en')}; ${denied.toLocaleString('en')} of them are of denied attempts.`,
};

const changes: FactDefinition = {
  id: 'rights-changes',
  row: 'access-by-need',
  foundBy:
    'the counters of the log over the hours of the period, for applications, keys, members, invitations and tenants',
  proof: { file: 'proofs/records.ndjson' },
  figure: { changes: 'sum' },
  holds: ({ changes: count = 0 }) =>
    `Changes of applications, keys, members, invitations and tenant settings in the period: ${count.toLocaleString('en')}. The records of the newest of them are proved.`,
};

const seal: FactDefinition = {
  id: 'log-verified',
  row: 'log-protection',
  foundBy:
    'recomputing the tree of each log from its records, from the last checkpoint before the period on, as `strongroom audit verify` does',
  proof: { file: 'proofs/checkpoints.ndjson' },
  figure: { records: 'sum', checkpoints: 'sum', findings: 'sum', dropped: 'sum' },
  weight: 'fails',
  holds: ({ records = 0, checkpoints = 0, dropped = 0 }) =>
    `${counted(records, 'record')} in ${counted(checkpoints, 'checkpoint')} match what was sealed.${dropped > 0 ? ` Retention dropped ${counted(dropped, 'record')}, as signed records say.` : ''}`,
  found: ({ findings = 0 }) => `The log differs from what was sealed: ${counted(findings, 'finding')}.`,
  remedy: 'run `strongroom audit verify`, which says where (docs/runbooks/audit-verification-failed.md)',
};

const unsealed: FactDefinition = {
  id: 'unsealed-records',
  row: 'log-protection',
  foundBy: `records that no signature covers although they are more than ${waitingSecondsMax / 60} minutes old`,
  proof: readOnVault,
  figure: { records: 'sum', oldest_minutes: 'greatest' },
  weight: 'fails',
  holds: () => `No record has been waiting to be sealed for more than ${waitingSecondsMax / 60} minutes.`,
  found: ({ records = 0, oldest_minutes: minutes = 0 }) =>
    `Not sealed: ${counted(records, 'record')}, the oldest for ${counted(minutes, 'minute')}.`,
  remedy: 'see that `strongroom work` runs (docs/runbooks/sealing-late.md)',
};

const anchor: FactDefinition = {
  id: 'log-anchored',
  row: 'log-protection',
  foundBy: 'the settings of the anchor; an anchor file that can be read is compared with the log, line by line',
  proof: readFromSettings,
  figure: { configured: 'greatest', compared: 'greatest', differences: 'sum' },
  weight: 'attention',
  holds: ({ compared = 0 }) =>
    compared > 0
      ? 'Checkpoints are copied to a second place, and all of its lines agree with the log.'
      : 'Checkpoints are copied to a second place. It could not be read from here, so it was not compared.',
  found: ({ differences = 0 }) =>
    differences > 0
      ? `The anchor differs from the log: ${counted(differences, 'checkpoint')}. Somebody has removed or replaced records.`
      : 'Checkpoints are not copied to a second place. Who can write to the database can remove the newest records unnoticed.',
  remedy:
    'set STRONGROOM_AUDIT_ANCHOR_FILE or STRONGROOM_AUDIT_ANCHOR_URL where workers run; if there are differences, see docs/runbooks/audit-verification-failed.md',
};

const copies: FactDefinition = {
  id: 'log-streams',
  row: 'log-protection',
  foundBy: 'the configured streams of the log, with the age of what their receivers have not accepted',
  proof: readOnVault,
  figure: { streams: 'greatest', late: 'greatest' },
  weight: 'attention',
  holds: ({ streams = 0 }) =>
    `Streams of the log to other systems that have everything: ${streams.toLocaleString('en')}.`,
  found: ({ streams = 0, late = 0 }) =>
    streams === 0
      ? 'No stream copies the log to a central system. Something else must.'
      : `Late or failing: ${late.toLocaleString('en')} of ${counted(streams, 'stream')} of the log.`,
  remedy: 'configure a stream (docs/operate/log-streams.md), or see docs/runbooks/log-stream-late.md',
};

const alerts: FactDefinition = {
  id: 'unacknowledged-alerts',
  row: 'log-review',
  foundBy: 'alerts of the period that are more than seven days old, compared with the records of acknowledgements',
  proof: readOnVault,
  figure: { alerts: 'sum', unacknowledged: 'sum' },
  weight: 'attention',
  holds: ({ alerts: count = 0 }) =>
    `Alerts in the period: ${count.toLocaleString('en')}. None of more than seven days is unacknowledged.`,
  found: ({ alerts: count = 0, unacknowledged = 0 }) =>
    `More than seven days old, and acknowledged by nobody: ${unacknowledged.toLocaleString('en')} of ${counted(count, 'alert')} in the period.`,
  remedy: 'look at them in the portal, and acknowledge each with what was found out',
};

const retention: FactDefinition = {
  id: 'log-retention',
  row: 'log-retention',
  foundBy: 'the settings of the audit log of the machine on which the command ran',
  proof: readFromSettings,
  figure: { months: 'greatest', archived: 'greatest' },
  weight: 'attention',
  holds: ({ months = 0, archived = 0 }) =>
    `The database keeps ${counted(months, 'whole month')} of the log.${archived > 0 ? ' Older months are in an archive.' : ''}`,
  found: ({ months = 0 }) =>
    `The database keeps ${counted(months, 'whole month')} of the log, and no archive has the older ones.`,
  remedy: `set STRONGROOM_AUDIT_RETENTION_MONTHS to ${monthsMin} or more, or STRONGROOM_AUDIT_ARCHIVE`,
};

/** What the log contains, that it is whole, and where copies of it are. */
export const logFacts: FactGroup = {
  name: 'audit log',
  facts: [operations, changes, seal, unsealed, anchor, copies, alerts, retention],
  readVault: async (reading) => {
    const { retentionMonths: months, archive } = reading.config.audit;
    const archived = archive === undefined ? 0 : 1;
    return {
      [anchor.id]: await readAnchor(reading),
      [copies.id]: await readStreams(reading),
      [retention.id]: setting('audit log', months < monthsMin && archived === 0, { months, archived }),
    };
  },
  readTenant: async (reading, tenantId) => {
    const { database, period, log } = reading;
    const counts = await database.forSealer((tx) => countLog(tx, tenantId, period));
    const waiting = (await log.reader.listWaiting(tenantId)).filter(
      ({ waitingSeconds }) => waitingSeconds > waitingSecondsMax,
    );
    const records = waiting.reduce((sum, one) => sum + one.records, 0);
    const oldest = Math.max(0, ...waiting.map(({ waitingSeconds }) => Math.floor(waitingSeconds / 60)));
    const verified = await verify(reading, tenantId);
    const { findings } = verified.verdict;
    return {
      [operations.id]: countedRows(tenantId, { records: counts.records, denied: counts.denied }, 0),
      [changes.id]: countedRows(tenantId, { changes: counts.changes }, 0),
      [seal.id]: countedRows(
        tenantId,
        {
          records: verified.verdict.verified,
          dropped: verified.verdict.dropped,
          checkpoints: verified.checkpoints,
          findings: findings.length,
        },
        findings.length,
      ),
      [unsealed.id]: countedRows(tenantId, { records, oldest_minutes: oldest }, records),
      [alerts.id]: countedRows(
        tenantId,
        { alerts: counts.alerts, unacknowledged: counts.unacknowledged },
        counts.unacknowledged,
      ),
    };
  },
};

/** Recomputes the log from the last checkpoint before the period on, a few checkpoints at a time. */
async function verify(
  { database, log, period, onRecords }: EvidenceReading,
  tenantId: TenantId,
): Promise<{ verdict: TenantVerdict; checkpoints: number }> {
  const { reader, publicKey } = log;
  const start = await database.forSealer((tx) => findVerificationStart(tx, tenantId, period.from));
  const after = start === 0 ? undefined : await reader.checkpointBefore(tenantId, start + 1);
  const verifier = new LogVerifier({ tenantId, publicKey, ...(after === undefined ? {} : { after }) });
  const outside = await reader.listOutside(tenantId);
  let checkpoints = 0;
  for await (const section of reader.sections(tenantId, after?.number ?? 0)) {
    verifier.check(section);
    checkpoints += 1;
    if (section.records !== 'dropped') onRecords(section.records.length);
  }
  verifier.checkOutside(outside);
  return { verdict: verifier.finish(), checkpoints };
}

async function readAnchor({ config, log, onlyTenant }: EvidenceReading) {
  const { anchorFile, anchorUrl } = config.audit;
  const configured = anchorFile === undefined && anchorUrl === undefined ? 0 : 1;
  const isReadable = anchorFile !== undefined && (await canRead(anchorFile));
  if (!isReadable) return setting('anchor', configured === 0, { configured, compared: 0, differences: 0 });
  const { findings } = await compareWithAnchor(anchorFile, log.publicKey, (tenantId, numbers) =>
    log.reader.findRoots(tenantId, numbers),
  );
  const own = findings.filter(({ tenantId }) => onlyTenant === undefined || tenantId === onlyTenant);
  return setting('anchor', own.length > 0, { configured, compared: 1, differences: own.length });
}

async function canRead(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function readStreams({ database, streams, onlyTenant }: EvidenceReading) {
  const own = streams.filter(
    ({ tenants }) => onlyTenant === undefined || tenants === undefined || tenants.includes(onlyTenant),
  );
  const status = await readStreamStatus(database, own);
  const late = status.filter(
    ({ failure, lagSeconds }) => failure !== undefined || lagSeconds > streamLagSecondsMax,
  ).length;
  return setting('log streams', own.length === 0 || late > 0, { streams: own.length, late });
}
