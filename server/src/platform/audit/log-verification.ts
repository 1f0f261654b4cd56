import { type AnchorContent, noAnchor, readAnchorFile } from './anchor-file.ts';
import { readExport, readExportKey } from './log-export.ts';
import type { LogReader } from './log-reader.ts';
import { type Finding, LogVerifier, type TenantVerdict } from './log-verifier.ts';

export interface LogVerdict {
  readonly publicKey: Buffer;
  readonly tenants: readonly TenantVerdict[];
  readonly findings: readonly Finding[];
  /** Lines of the anchor that this vault did not sign. */
  readonly foreignAnchorLines: number;
}

/** The log of a vault and the key that signs it. */
export interface OpenLog {
  readonly reader: LogReader;
  readonly publicKey: Buffer;
}

export interface VerifyOptions {
  /** A file of the second place. */
  readonly anchorFile?: string | undefined;
  readonly onProgress: (verified: number, total: number | undefined) => void;
}

/** Verifies the log in the database, of one tenant or of all, with the key that the root key opens. */
export async function verifyDatabase(
  { reader, publicKey }: OpenLog,
  tenantId: string | undefined,
  options: VerifyOptions,
): Promise<LogVerdict> {
  const present = tenantId === undefined ? await reader.listTenants() : [tenantId];
  const anchor = await readAnchor(options, publicKey);
  const anchored = tenantId === undefined ? [...anchor.newest.keys()] : [];
  const wanted = new Set([...present, ...anchored]);
  const total = await sizeOf(reader, [...wanted]);
  const tenants: TenantVerdict[] = [];
  let verified = 0;
  for (const id of wanted) {
    const verifier = new LogVerifier({ tenantId: id, publicKey, anchor: anchor.newest.get(id) });
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
  return toVerdict(publicKey, tenants, anchor);
}

/** Verifies an exported file without a database. Unless a key is given, the file is believed about who signed it. */
export async function verifyExport(
  path: string,
  publicKey: Buffer | undefined,
  options: VerifyOptions,
): Promise<LogVerdict> {
  const key = publicKey ?? (await readExportKey(path));
  const anchor = await readAnchor(options, key);
  const verifiers = new Map<string, LogVerifier>();
  const verifierOf = (tenantId: string) => {
    const known = verifiers.get(tenantId);
    if (known !== undefined) return known;
    const made = new LogVerifier({ tenantId, publicKey: key, anchor: anchor.newest.get(tenantId) });
    verifiers.set(tenantId, made);
    return made;
  };
  for (const tenantId of anchor.newest.keys()) verifierOf(tenantId);
  let verified = 0;
  for await (const section of readExport(path)) {
    verifierOf(section.checkpoint.tenantId).check(section);
    verified += section.records === 'dropped' ? 0 : section.records.length;
    options.onProgress(verified, undefined);
  }
  const tenants = [...verifiers.values()].map((verifier) => verifier.finish());
  return toVerdict(key, tenants, anchor);
}

async function readAnchor({ anchorFile }: VerifyOptions, publicKey: Buffer): Promise<AnchorContent> {
  return anchorFile === undefined ? noAnchor : readAnchorFile(anchorFile, publicKey);
}

function toVerdict(publicKey: Buffer, tenants: readonly TenantVerdict[], anchor: AnchorContent): LogVerdict {
  const findings = tenants.flatMap((tenant) => tenant.findings);
  return { publicKey, tenants, findings, foreignAnchorLines: anchor.foreignLines };
}

async function sizeOf(reader: LogReader, tenantIds: readonly string[]): Promise<number> {
  let total = 0;
  for (const tenantId of tenantIds) total += (await reader.newestCheckpoint(tenantId))?.treeSize ?? 0;
  return total;
}
