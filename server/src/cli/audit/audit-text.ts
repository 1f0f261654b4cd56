import { toOneLine } from '../../core/text/one-line.ts';
import type { LogVerdict } from '../../platform/audit/verify/log-verification.ts';
import { toTime } from '../../core/text/time-span.ts';
import type { WaitingRecords } from '../../platform/audit/seal/waiting-records.ts';

/** Returns true if nothing differs from what was sealed and archived. */
export function isSound({ findings, archive }: LogVerdict): boolean {
  return findings.length === 0 && (archive?.damages ?? []).length === 0;
}

export function toVerdictJson(verdict: LogVerdict) {
  const { publicKey, tenants, findings, waiting, foreignAnchorLines, archive } = verdict;
  return {
    ok: isSound(verdict),
    public_key: publicKey.toString('base64'),
    foreign_anchor_lines: foreignAnchorLines,
    tenants: tenants.map(({ tenantId, verified, dropped, newest }) => ({
      tenant_id: tenantId,
      verified,
      dropped,
      tree_size: newest?.treeSize ?? 0,
      root: newest?.root.toString('base64') ?? null,
      sealed_at: newest?.sealedAt.toISOString() ?? null,
    })),
    findings: findings.map(({ kind, tenantId, range, within, records, message }) => ({
      kind,
      tenant_id: tenantId,
      ...(range === undefined ? {} : { range }),
      ...(within === undefined ? {} : { within }),
      ...(records === undefined ? {} : { records }),
      message,
    })),
    ...(archive === undefined ? {} : { archive: { files: archive.files, findings: archive.damages } }),
    unsealed: {
      records: sumOf(waiting),
      tenants: waiting.map(({ tenantId, records, oldestAt, waitingSeconds, reason, message }) => ({
        tenant_id: tenantId,
        records,
        oldest_at: oldestAt.toISOString(),
        waiting_seconds: Math.round(waitingSeconds),
        reason,
        message,
      })),
    },
  };
}

/** The maximum number of waiting tenants to list in human-readable output. */
const waitingLinesMax = 20;

export function describeVerdict(verdict: LogVerdict, { isKeyUnsure }: { readonly isKeyUnsure: boolean }): string {
  const { publicKey, tenants, findings, waiting, foreignAnchorLines, archive } = verdict;
  const verified = tenants.reduce((sum, tenant) => sum + tenant.verified, 0);
  const dropped = tenants.reduce((sum, tenant) => sum + tenant.dropped, 0);
  const lines = findings.map(({ tenantId, range, within, records, message }) => {
    const where = range === undefined ? '' : ` Records ${range.from} to ${range.to - 1}.`;
    const narrow = within === undefined ? '' : ` The difference is in ${within.from} to ${within.to - 1}.`;
    const which = records === undefined ? '' : ` Ids: ${records.join(', ')}.`;
    // The export may come from an untrusted source.
    return toOneLine(`FAIL tenant ${tenantId}: ${message}${where}${narrow}${which}`);
  });
  const signer = `Signed by ${publicKey.toString('base64')}.`;
  const advice = isKeyUnsure ? ' Compare this key with the one that you got from the vault, or pass --public-key.' : '';
  const kept = dropped === 0 ? '' : ` ${dropped} older ones were dropped by the retention policy.`;
  const archived = archive === undefined ? '' : ` ${archive.files} files of the archive were read.`;
  const foreign =
    foreignAnchorLines === 0 ? [] : [`${foreignAnchorLines} lines of the anchor were not signed by this vault.`];
  return [
    ...lines,
    ...(archive?.damages ?? []).map((message) => toOneLine(`FAIL archive: ${message}`)),
    ...describeWaiting(waiting),
    ...foreign,
    `${verified} records of ${tenants.length} tenants verified.${kept}${archived} ${signer}${advice}`,
    describeResult(verdict),
  ].join('\n');
}

function describeWaiting(waiting: readonly WaitingRecords[]): string[] {
  const lines = waiting
    .slice(0, waitingLinesMax)
    .map(
      ({ tenantId, records, waitingSeconds, message }) =>
        `WAIT tenant ${tenantId}: ${toRecords(records)} not sealed yet, the oldest for ${toTime(waitingSeconds)}. ${message}`,
    )
    .map(toOneLine);
  const more = waiting.length - lines.length;
  return more > 0 ? [...lines, `WAIT ${more} more tenants; --json lists them.`] : lines;
}

function describeResult(verdict: LogVerdict): string {
  const { findings, waiting, archive } = verdict;
  if (!isSound(verdict)) return `${findings.length + (archive?.damages ?? []).length} findings.`;
  const count = sumOf(waiting);
  if (count === 0) return 'The log matches what was sealed.';
  return `The sealed part of the log matches what was sealed. ${toRecords(count)} not sealed yet.`;
}

function sumOf(waiting: readonly WaitingRecords[]): number {
  return waiting.reduce((sum, { records }) => sum + records, 0);
}

function toRecords(count: number): string {
  return count === 1 ? '1 record' : `${count} records`;
}

export function describeProofs(proven: readonly string[], failed: number): string {
  const [only, ...rest] = proven;
  if (failed === 0 && only !== undefined)
    return rest.length === 0
      ? `Record ${only} is in the sealed log.`
      : `All ${proven.length} records are in the sealed log.`;
  return proven.length + failed <= 1
    ? 'The proof does not hold.'
    : `${failed} of ${proven.length + failed} proofs do not hold.`;
}
