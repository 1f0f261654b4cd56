import { access } from 'node:fs/promises';
import type { FactDefinition, Observation } from '../../../core/evidence/fact.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { counted } from '../../../core/text/counted.ts';
import { readStreamStatus } from '../../../features/log-streams/index.ts';
import { compareWithAnchor } from '../../../platform/audit/verify/anchor-comparison.ts';
import { listTenantIds } from '../../../platform/database/ground/database-inspection.ts';
import { type EvidenceReading, listedRows, readFromSettings, readOnVault, setting } from './fact-group.ts';
import { countUnanchored } from './log-store.ts';

const streamLagSecondsMax = 300;

export const anchor: FactDefinition = {
  id: 'log-anchored',
  row: 'log-protection',
  foundBy:
    'the settings of the anchor; an anchor file that can be read is compared with the log, line by line, and must have what was sealed more than an hour ago',
  proof: readFromSettings,
  figure: { configured: 'greatest', compared: 'greatest', differences: 'sum', behind: 'sum' },
  weight: 'attention',
  holds: ({ compared = 0 }) =>
    compared > 0
      ? 'Checkpoints are copied to a second place, which has those of each log, and all of its lines agree with the log.'
      : 'Checkpoints are copied to a second place. It could not be read from here, so it was not compared.',
  found: ({ configured = 0, differences = 0, behind = 0 }) => {
    if (configured === 0)
      return 'Checkpoints are not copied to a second place. Anyone who can write to the database can remove the newest records unnoticed.';
    const sentences = [
      ...(differences > 0
        ? [
            `The anchor differs from the log: ${counted(differences, 'checkpoint')}. Somebody has removed or replaced records.`,
          ]
        : []),
      ...(behind > 0
        ? [`The anchor lacks what was sealed more than an hour ago in the log of ${counted(behind, 'tenant')}.`]
        : []),
    ];
    return sentences.join(' ');
  },
  remedy:
    'set STRONGROOM_AUDIT_ANCHOR_FILE or STRONGROOM_AUDIT_ANCHOR_URL where workers run; if there are differences, see docs/runbooks/audit-verification-failed.md, and if it lacks checkpoints, see that workers can write to it',
};

export const copies: FactDefinition = {
  id: 'log-streams',
  row: 'log-protection',
  foundBy:
    'the configured streams of the log and their tenants, with the age of what their receivers have not accepted',
  proof: readOnVault,
  figure: { streams: 'greatest', late: 'greatest', tenants_without: 'sum' },
  weight: 'attention',
  holds: ({ streams = 0 }) =>
    `Streams of the log to other systems that have everything: ${streams.toLocaleString('en')}.`,
  found: ({ streams = 0, late = 0, tenants_without: without = 0 }) => {
    if (streams === 0) return 'No stream copies the log to a central system. Something else must.';
    const sentences = [
      ...(late > 0
        ? [`Late or failing: ${late.toLocaleString('en')} of ${counted(streams, 'stream')} of the log.`]
        : []),
      ...(without > 0 ? [`No stream copies the log of ${counted(without, 'tenant')}.`] : []),
    ];
    return sentences.join(' ');
  },
  remedy: 'configure a stream for every tenant (docs/operate/log-streams.md), or see docs/runbooks/log-stream-late.md',
};

/** An anchor that has stopped, or that is empty, agrees with every log. It must therefore also reach to its end. */
export async function readAnchor({ config, database, log, onlyTenant }: EvidenceReading): Promise<Observation> {
  const { anchorFile, anchorUrl } = config.audit;
  const configured = anchorFile === undefined && anchorUrl === undefined ? 0 : 1;
  const isReadable = anchorFile !== undefined && (await canRead(anchorFile));
  if (!isReadable) return setting('anchor', configured === 0, { configured, compared: 0, differences: 0, behind: 0 });
  const { findings, newest } = await compareWithAnchor(anchorFile, log.publicKey, (tenantId, numbers) =>
    log.reader.findRoots(tenantId, numbers),
  );
  const own = findings.filter(({ tenantId }) => onlyTenant === undefined || tenantId === onlyTenant);
  const tenantIds = onlyTenant === undefined ? await listTenantIds(database) : [onlyTenant];
  const anchored = tenantIds.map((tenantId) => ({ tenantId, number: newest.get(tenantId) ?? 0 }));
  const behind = await database.forSealer((tx) => countUnanchored(tx, anchored));
  const figure = { configured, compared: 1, differences: own.length, behind };
  return setting('anchor', own.length > 0 || behind > 0, figure);
}

async function canRead(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

export async function readStreams({ database, streams, onlyTenant }: EvidenceReading): Promise<Observation> {
  const own = streams.filter(
    ({ tenants }) => onlyTenant === undefined || tenants === undefined || tenants.includes(onlyTenant),
  );
  const status = await readStreamStatus(database, own);
  const late = status.filter(
    ({ failure, lagSeconds }) => failure !== undefined || lagSeconds > streamLagSecondsMax,
  ).length;
  return setting('log streams', own.length === 0 || late > 0, { streams: own.length, late });
}

/** A stream can be limited to some tenants. */
export function readUncopied({ streams }: EvidenceReading, tenantId: TenantId): Observation {
  const isCopied = streams.some(({ tenants }) => tenants === undefined || tenants.includes(tenantId));
  const without = streams.length > 0 && !isCopied ? [tenantId] : [];
  return listedRows(tenantId, 'tenant', without, { tenants_without: without.length });
}
