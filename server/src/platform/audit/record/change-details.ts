import { listRightsChanges, type Rights, toCanonicalRights } from '../../../core/rights-change/rights-difference.ts';
import { listWideningChanges } from '../../../core/rights-change/widening-changes.ts';
import { sha256 } from '../../keyring/sealing/sha256.ts';
import type { AuditDetails } from './audit-event.ts';

/** These limits keep the details of a record below 4 KB in total. */
const lineCharactersMax = 300;
/** No rule is longer than this, even on the longest container. */
const wideningCharactersMax = 700;
const linesBytesMax = 3_000;
/** The end of a rule names its transform and its permissions, so it is kept when a line is shortened. */
const endCharacters = 150;

/** Returns what a change of rights added and removed, and a digest of the new rights. */
export function toRightsDetails(before: Rights | undefined, after: Rights | undefined): AuditDetails {
  const digested = after === undefined ? 'null' : toCanonicalRights(after);
  return toChangeDetails(listRightsChanges(before, after), digested, listWideningChanges(before, after));
}

/**
 * Does the same for any other change that is described by a list of lines and the new state as text. Lines that widen
 * access to plaintext are the last to be omitted.
 */
export function toChangeDetails(
  changes: readonly string[],
  after: string,
  widening: readonly string[] = [],
): AuditDetails {
  const digest = sha256(Buffer.from(after, 'utf8')).toString('base64url');
  return changes.length === 0 ? { digest } : { changes: bound(changes, widening), digest };
}

/** Returns details of a state that is nothing but these lines. */
export function toLineDetails(lines: readonly string[]): AuditDetails {
  return toChangeDetails(lines, lines.join('\n'));
}

/**
 * Shortens the list of changes if it is too long. The lines that widen access to plaintext then come first, because the
 * author of the rights chooses the order of the others and could hide a grant behind them. The digest still covers the
 * omitted lines, so it can be compared with that of an expected state.
 */
function bound(changes: readonly string[], widening: readonly string[]): string[] {
  const isShort = changes.every((line) => line.length <= lineCharactersMax);
  if (isShort && bytesOf(changes) <= linesBytesMax) return [...changes];
  const others = changes.filter((line) => !widening.includes(line));
  const ordered = [
    ...widening.map((line) => shorten(line, wideningCharactersMax)),
    ...others.map((line) => shorten(line, lineCharactersMax)),
  ];
  let [count, bytes] = [0, 0];
  for (const line of ordered) {
    bytes += bytesOf([line]);
    if (bytes > linesBytesMax)
      return [...ordered.slice(0, count), toRest(ordered.length - count, widening.length - count)];
    count += 1;
  }
  return ordered;
}

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(JSON.stringify(line)) + 1, 0);
}

/** Omits the middle of a line, so that the transform and the permissions of a rule are kept. */
function shorten(line: string, max: number): string {
  if (line.length <= max) return line;
  return `${line.slice(0, max - endCharacters - 1)}…${line.slice(-endCharacters)}`;
}

function toRest(count: number, wideningCount: number): string {
  return wideningCount > 0
    ? `and ${count} more, ${wideningCount} of which can widen access to plaintext`
    : `and ${count} more`;
}
