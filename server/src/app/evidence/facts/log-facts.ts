import type { FactDefinition } from '../../../core/evidence/fact.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { counted } from '../../../core/text/counted.ts';
import type { AlertThresholds } from '../../../platform/audit/watch/alert-rule.ts';
import { LogVerifier, type TenantVerdict } from '../../../platform/audit/verify/log-verifier.ts';
import {
  countedRows,
  type EvidenceReading,
  type FactGroup,
  readFromSettings,
  readOnVault,
  setting,
} from './fact-group.ts';
import { anchor, copies, readAnchor, readStreams, readUncopied } from './log-copy-facts.ts';
import { countLog, findVerificationStart } from './log-store.ts';

const waitingSecondsMax = 600;
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
    'the counters of the log over the hours of the period, for applications, keys, members, invitations, stored proxies and tenants; refused attempts are counted too',
  proof: { file: 'proofs/records.ndjson' },
  figure: { changes: 'sum' },
  holds: ({ changes: count = 0 }) =>
    `Changes of applications, keys, members, invitations, stored proxies and tenant settings in the period, with refused attempts: ${count.toLocaleString('en')}. The records of the newest changes are proved.`,
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

const alerts: FactDefinition = {
  id: 'unacknowledged-alerts',
  row: 'log-review',
  foundBy:
    'alerts of the period that are more than seven days old, compared with the records of acknowledgements, and the thresholds in the settings',
  proof: readOnVault,
  figure: { rules: 'greatest', alerts: 'sum', unacknowledged: 'sum' },
  weight: 'attention',
  holds: ({ rules = 0, alerts: count = 0 }) =>
    `Rules for alerts that are on here: ${rules} of ${rulesMax}. Alerts in the period: ${count.toLocaleString('en')}. None of more than seven days is unacknowledged.`,
  found: ({ rules = 0, alerts: count = 0, unacknowledged = 0 }) =>
    [
      ...(rules === 0 ? ['Every rule for alerts is off here, so the vault raises none.'] : []),
      `More than seven days old, and acknowledged by nobody: ${unacknowledged.toLocaleString('en')} of ${counted(count, 'alert')} in the period.`,
    ].join(' '),
  remedy:
    'look at them in the portal, and acknowledge each with what was found out; turn rules on where workers run (docs/operate/audit-log.md)',
};

const retention: FactDefinition = {
  id: 'log-retention',
  row: 'log-retention',
  foundBy: 'the settings of the audit log of the machine on which the command ran',
  proof: readFromSettings,
  figure: { months: 'greatest', archived: 'greatest' },
  weight: 'attention',
  holds: ({ months = 0, archived = 0 }) =>
    `The database keeps ${counted(months, 'whole month')} of the log.${archived > 0 ? ' It drops an older one only when the archive has it.' : ''}`,
  found: ({ months = 0 }) =>
    `The database keeps ${counted(months, 'whole month')} of the log, and no archive has the older ones.`,
  remedy: `set STRONGROOM_AUDIT_RETENTION_MONTHS to ${monthsMin} or more, or STRONGROOM_AUDIT_ARCHIVE`,
};

const rulesMax = 3;

function countRules({ misses, reveals, addresses }: AlertThresholds): number {
  return [misses, reveals, addresses].filter((threshold) => threshold > 0).length;
}

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
      [alerts.id]: setting('alerts', countRules(reading.config.audit.alerts) === 0, {
        rules: countRules(reading.config.audit.alerts),
      }),
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
      [copies.id]: readUncopied(reading, tenantId),
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
