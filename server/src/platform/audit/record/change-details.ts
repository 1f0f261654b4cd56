import { listRightsChanges, type Rights, toCanonicalRights } from '../../../core/rights-change/rights-difference.ts';
import { sha256 } from '../../keyring/sealing/sha256.ts';
import type { AuditDetails } from './audit-event.ts';

/** Together with the rest of the details this stays below 4 KB. */
const lineCharactersMax = 300;
const linesBytesMax = 3_000;

/** What a change of rights added and removed, and a digest of what they are now. */
export function toRightsDetails(before: Rights | undefined, after: Rights | undefined): AuditDetails {
  return toChangeDetails(listRightsChanges(before, after), after === undefined ? 'null' : toCanonicalRights(after));
}

/** The same for anything else that is described by lines, and by one text of what it is now. */
export function toChangeDetails(changes: readonly string[], after: string): AuditDetails {
  const digest = sha256(Buffer.from(after, 'utf8')).toString('base64url');
  return changes.length === 0 ? { digest } : { changes: bound(changes), digest };
}

/** The digest tells what was left out from what it is compared with. */
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
