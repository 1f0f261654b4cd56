import { membersOf } from '../../core/objects/members-of.ts';
import { readLines } from '../../platform/files/line-reader.ts';
import { RowHasher } from '../../platform/keyring/sealing/row-hasher.ts';

export interface ManifestVerdict {
  readonly rows: number;
  /** Ids of rows that differ or are missing, at most ten. */
  readonly changed: readonly string[];
  readonly changedCount: number;
  /** The number of lines of the export that are not in the manifest. */
  readonly surplus: number;
  /** The last line of the manifest. Undefined if it is missing because the export was not finished. */
  readonly end: { readonly tokens: number; readonly file_sha256: string } | undefined;
}

const namedMax = 10;

/** Compares a decrypted export with its manifest, line by line. Does not need the vault. */
export async function checkManifest(exportPath: string, manifestPath: string): Promise<ManifestVerdict> {
  const lines = readLines(exportPath)[Symbol.asyncIterator]();
  const hasher = toHasher(await nextLine(lines));
  const changed: string[] = [];
  let [rows, changedCount] = [0, 0];
  let end: ManifestVerdict['end'];
  let isHead = true;
  for await (const text of readLines(manifestPath)) {
    const entry = parse(text);
    if (isHead) {
      if (entry['strongroom_manifest'] === undefined) throw new Error('This is not an export manifest.');
      isHead = false;
      continue;
    }
    if (entry['end'] !== undefined) {
      end = toEnd(entry['end']);
      break;
    }
    rows += 1;
    const line = await nextLine(lines);
    if (line !== undefined && hasher.hash(line) === entry['hash']) continue;
    changedCount += 1;
    if (changed.length < namedMax) changed.push(String(entry['id']));
  }
  let surplus = 0;
  while ((await lines.next()).done !== true) surplus += 1;
  return { rows, changed, changedCount, surplus, end };
}

function toHasher(headLine: string | undefined): RowHasher {
  const { row_key: rowKey } = membersOf(parse(headLine ?? '')['strongroom_export']);
  const hasher = RowHasher.parse(typeof rowKey === 'string' ? rowKey : '');
  if (hasher === undefined) {
    throw new Error(
      'This is not a decrypted export: its first line is not an export header. Decrypt it first, with age or gpg.',
    );
  }
  return hasher;
}

function toEnd(value: unknown): ManifestVerdict['end'] {
  const { tokens, file_sha256 } = membersOf(value);
  return { tokens: Number(tokens), file_sha256: String(file_sha256) };
}

async function nextLine(lines: AsyncIterator<string>): Promise<string | undefined> {
  const next = await lines.next();
  return next.done === true ? undefined : next.value;
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return {};
  }
}
