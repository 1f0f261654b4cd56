import { listRightsChanges, type Rights, toCanonicalRights } from '../../../core/rights-change/rights-difference.ts';
import { sha256 } from '../../keyring/sealing/sha256.ts';
import type { AuditDetails } from './audit-event.ts';

/** These limits keep all details together below 4 KB. */
const lineCharactersMax = 300;
const linesBytesMax = 3_000;

/** Returns what a change of rights added and removed, and a digest of the new rights. */
export function toRightsDetails(before: Rights | undefined, after: Rights | undefined): AuditDetails {
  return toChangeDetails(listRightsChanges(before, after), after === undefined ? 'null' : toCanonicalRights(after));
}

/** Does the same for any other change that is described by lines and by one text of the new state. */
export function toChangeDetails(changes: readonly string[], after: string): AuditDetails {
  const digest = sha256(Buffer.from(after, 'utf8')).toString('base64url');
  return changes.length === 0 ? { digest } : { changes: bound(changes), digest };
}

/**
 * Shortens the list of changes. The digest still covers the omitted ones, so it can be compared with an expected state.
 */
function bound(changes: readonly string[]): string[] {
  const lines: string[] = [];
  let bytes = 0;
  for (const change of changes) {
    const line = change.length > lineCharactersMax ? `${change.slice(0, lineCharactersMax - 1)}…` : change;
    bytes += Buffer.byteLength(JSON.stringify(line)) + 1;
    if (bytes > linesBytesMax) return [...lines, `and ${changes.length - lines.length} more`];
    lines.push(line);
  }
  return lines;
}
