import { readFile } from 'node:fs/promises';
import { parseCheckpointJson, type SignedCheckpoint } from './checkpoint.ts';
import { readExport, readExportKey } from './log-export.ts';
import type { LogReader } from './log-reader.ts';
import { type Finding, LogVerifier, type TenantVerdict } from './log-verifier.ts';

export interface LogVerdict {
  readonly publicKey: Buffer;
  readonly tenants: readonly TenantVerdict[];
  readonly findings: readonly Finding[];
}

/** The log of a vault and the key that signs it. */
export interface OpenLog {
  readonly reader: LogReader;
  readonly publicKey: Buffer;
}

export interface VerifyOptions {
  /** Checkpoints from the second place. */
  readonly anchors: readonly SignedCheckpoint[];
  readonly onProgress: (verified: number, total: number | undefined) => void;
}

/** Verifies the log in the database, of one tenant or of all, with the key that the root key opens. */
export async function verifyDatabase(
  { reader, publicKey }: OpenLog,
  tenantId: string | undefined,
  options: VerifyOptions,
): Promise<LogVerdict> {
  const present = tenantId === undefined ? await reader.listTenants() : [tenantId];
  const anchored = options.anchors.map((anchor) => anchor.tenantId);
  const wanted = new Set([...present, ...anchored.filter((id) => tenantId === undefined || id === tenantId)]);
  const total = await sizeOf(reader, [...wanted]);
  const tenants: TenantVerdict[] = [];
  let verified = 0;
  for (const id of wanted) {
    const verifier = new LogVerifier({ tenantId: id, publicKey, anchors: options.anchors });
    // Asked first: what is sealed while the tree is read lies behind.
    const outside = await reader.listOutside(id);
    for await (const section of reader.sections(id)) {
      verifier.check(section);
      verified += section.records === 'dropped' ? 0 : section.records.length;
      options.onProgress(verified, total);
    }
    verifier.checkOutside(outside);
    tenants.push(verifier.finish());
  }
  return { publicKey, tenants, findings: tenants.flatMap(({ findings }) => findings) };
}

/** Verifies an exported file without a database. Unless a key is given, the file is believed about who signed it. */
export async function verifyExport(
  path: string,
  publicKey: Buffer | undefined,
  options: VerifyOptions,
): Promise<LogVerdict> {
  const key = publicKey ?? (await readExportKey(path));
  const verifiers = new Map<string, LogVerifier>();
  const verifierOf = (tenantId: string) => {
    const known = verifiers.get(tenantId);
    if (known !== undefined) return known;
    const made = new LogVerifier({ tenantId, publicKey: key, anchors: options.anchors });
    verifiers.set(tenantId, made);
    return made;
  };
  for (const { tenantId } of options.anchors) verifierOf(tenantId);
  let verified = 0;
  for await (const section of readExport(path)) {
    verifierOf(section.checkpoint.tenantId).check(section);
    verified += section.records === 'dropped' ? 0 : section.records.length;
    options.onProgress(verified, undefined);
  }
  const tenants = [...verifiers.values()].map((verifier) => verifier.finish());
  return { publicKey: key, tenants, findings: tenants.flatMap(({ findings }) => findings) };
}

/** The checkpoints of an anchor, as its file holds them. A line that a crash cut off is passed over. */
export async function readAnchors(path: string): Promise<SignedCheckpoint[]> {
  const lines = (await readFile(path, 'utf8')).split('\n');
  return lines.flatMap((line) => parseLine(line) ?? []);
}

function parseLine(line: string): SignedCheckpoint | undefined {
  try {
    return parseCheckpointJson(JSON.parse(line));
  } catch {
    return undefined;
  }
}

async function sizeOf(reader: LogReader, tenantIds: readonly string[]): Promise<number> {
  let total = 0;
  for (const tenantId of tenantIds) total += (await reader.newestCheckpoint(tenantId))?.treeSize ?? 0;
  return total;
}
