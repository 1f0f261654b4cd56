import { type AuditRecord, recordFields } from '../../../core/audit/record-text.ts';
import { membersOf } from '../../../core/objects/members-of.ts';
import { asRecord } from '../../../platform/audit/seal/audit-record.ts';
import { parseCheckpointJson } from '../../../platform/audit/seal/checkpoint.ts';
import type { StoredCheckpoint } from '../../../platform/audit/seal/checkpoint-row.ts';
import { toCheckpointLine } from '../model/stream-line.ts';

/** A line as a receiver has it. */
export type ReceivedLine =
  | { readonly kind: 'record'; readonly position: number; readonly record: AuditRecord }
  | {
      readonly kind: 'checkpoint';
      readonly checkpoint: StoredCheckpoint;
      readonly mark: 'dropped' | 'base' | undefined;
    };

const recordMembers: ReadonlySet<string> = new Set(['kind', 'position', ...recordFields]);
const wrapsMax = 4;

/**
 * Reads a line. It may be wrapped like receivers store it: behind a syslog header, in `event` (Splunk), in `_source`
 * (Elasticsearch), or in the `unmapped` of an OCSF event. Returns undefined for anything that the vault did not write
 * exactly so.
 */
export function parseStreamLine(text: string): ReceivedLine | undefined {
  let value = parseJson(text.slice(Math.max(text.indexOf('{'), 0)));
  for (let wraps = 0; wraps < wrapsMax; wraps += 1) {
    const members = membersOf(value);
    if (members['kind'] === 'record') return parseRecord(members);
    if (members['kind'] === 'checkpoint') return parseCheckpoint(members);
    value = members['_source'] ?? members['event'] ?? membersOf(members['unmapped'])['strongroom'];
  }
  return undefined;
}

/** A record must have exactly its members, because a member that is missing could count as empty in its hash. */
function parseRecord(members: Readonly<Record<string, unknown>>): ReceivedLine | undefined {
  const { kind, position, ...record } = members;
  const names = Object.keys(members);
  const isWhole = names.length === recordMembers.size && names.every((name) => recordMembers.has(name));
  const isPlaced = typeof position === 'number' && Number.isSafeInteger(position) && position >= 0;
  const isDated = typeof record['created_at'] === 'number' && Math.abs(record['created_at']) <= 8.64e15;
  const texts = [record['tenant_id'], record['id'], record['entity_id'], record['sealing_order']];
  const isOrdered =
    texts.every((text) => typeof text === 'string') && /^-?\d{1,19}$/.test(String(record['sealing_order']));
  return kind === 'record' && isWhole && isPlaced && isDated && isOrdered
    ? { kind, position, record: asRecord(record) }
    : undefined;
}

/** A checkpoint must be spelled as it was sent. Otherwise parts of it that no signature covers could be changed. */
function parseCheckpoint(members: Readonly<Record<string, unknown>>): ReceivedLine | undefined {
  const signed = parseCheckpointJson(members);
  const { frontier } = members;
  if (signed === undefined || typeof frontier !== 'string') return undefined;
  const checkpoint = { ...signed, frontier: Buffer.from(frontier, 'base64') };
  const mark = members['dropped'] === true ? 'dropped' : members['base'] === true ? 'base' : undefined;
  const expected = Object.entries(toCheckpointLine(checkpoint, mark));
  const isSame = expected.every(([name, value]) => members[name] === value);
  return isSame && expected.length === Object.keys(members).length
    ? { kind: 'checkpoint', checkpoint, mark }
    : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
