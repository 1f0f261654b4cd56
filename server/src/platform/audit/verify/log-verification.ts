import { type AnchorVerdict, compareWithAnchor, type FindRoots, type SealedRoot } from './anchor-comparison.ts';
import { readExport, readExportKey } from './log-export.ts';
import type { LogReader } from './log-reader.ts';
import { type Finding, LogVerifier, type TenantVerdict } from './log-verifier.ts';
import type { WaitingRecords } from '../seal/waiting-records.ts';

export interface LogVerdict {
  readonly publicKey: Buffer;
  readonly tenants: readonly TenantVerdict[];
  readonly findings: readonly Finding[];
  /** The records that are not sealed yet, so that no signature covers them. An export contains none. */
  readonly waiting: readonly WaitingRecords[];
  /** The number of lines in the anchor that this vault did not sign. */
  readonly foreignAnchorLines: number;
  /** What was found in the archive, if there is one. */
  readonly archive?: ArchiveVerdict;
}

export interface ArchiveVerdict {
  readonly files: number;
  /** What is damaged or missing, as sentences. */
  readonly damages: readonly string[];
}

/** The log of a vault and the key that signs it. */
export interface OpenLog {
  readonly reader: LogReader;
  readonly publicKey: Buffer;
  /** The archive that the reader reads as well. */
  readonly archive?: LogArchive | undefined;
}

/** The part of an archive that a verification needs. */
interface LogArchive {
  readonly name: string;
  collectDamages(): readonly string[];
  verifyFiles(tenantId: string | undefined): Promise<number>;
}

export interface VerifyOptions {
  /** The path of an anchor file. */
  readonly anchorFile?: string | undefined;
  readonly onProgress: (verified: number, total: number | undefined) => void;
}

/** Verifies the log of one tenant or of all in the database, with the key that the root key unwraps. */
export async function verifyDatabase(
  { reader, publicKey, archive }: OpenLog,
  tenantId: string | undefined,
  options: VerifyOptions,
): Promise<LogVerdict> {
  archive?.collectDamages();
  const present = tenantId === undefined ? await reader.listTenants() : [tenantId];
  const total = await sizeOf(reader, present);
  const tenants: TenantVerdict[] = [];
  let verified = 0;
  for (const id of present) {
    const verifier = new LogVerifier({ tenantId: id, publicKey });
    // This is read first, so that anything sealed while the tree is read comes after it.
    const outside = await reader.listOutside(id);
    for await (const section of reader.sections(id)) {
      verifier.check(section);
      verified += section.records === 'dropped' ? 0 : section.records.length;
      options.onProgress(verified, total);
    }
    verifier.checkOutside(outside);
    tenants.push(verifier.finish());
  }
  const findRoots: FindRoots = (id, numbers) => reader.findRoots(id, numbers);
  const verdict = toVerdict(publicKey, tenants, await compareAnchor(options, publicKey, findRoots));
  const waiting = await reader.listWaiting(tenantId);
  const findings = [...verdict.findings, ...findForgedStops(tenants, waiting)];
  if (archive === undefined) return { ...verdict, findings, waiting };
  return { ...verdict, findings, waiting, archive: await verifyArchive(archive, tenantId, tenants) };
}

/** Verifies the files that were not read for the log, and finds months that should be in the archive and are not. */
async function verifyArchive(
  archive: LogArchive,
  tenantId: string | undefined,
  tenants: readonly TenantVerdict[],
): Promise<ArchiveVerdict> {
  const files = await archive.verifyFiles(tenantId);
  const damages = archive.collectDamages();
  const missing = tenants.flatMap(({ tenantId: of, archivedMonths }) =>
    archivedMonths.map((month) => `Records of ${month} of tenant ${of} were archived, and are not in ${archive.name}.`),
  );
  return { files, damages: [...damages, ...missing] };
}

/**
 * Finds stops that the sealer did not write. The sealer stops only for a damaged checkpoint. Any other stop was written
 * by somebody who wants to keep records from being signed.
 */
function findForgedStops(tenants: readonly TenantVerdict[], waiting: readonly WaitingRecords[]): Finding[] {
  const isDamaged = new Set(
    tenants
      .filter(({ findings }) => findings.some(({ kind }) => kind === 'checkpoint-changed'))
      .map((of) => of.tenantId),
  );
  return waiting
    .filter(({ tenantId, reason }) => reason === 'checkpoint-damaged' && !isDamaged.has(tenantId))
    .map(({ tenantId, records }) => ({
      kind: 'sealing-stopped',
      tenantId,
      message: `Sealing is stopped and ${records} records wait, although no checkpoint is damaged. If none was put right just now, somebody has written to audit_seal_stops.`,
    }));
}

/** Verifies an exported file without a database. Unless a key is given, the key in the file is trusted. */
export async function verifyExport(
  path: string,
  publicKey: Buffer | undefined,
  options: VerifyOptions,
): Promise<LogVerdict> {
  const key = publicKey ?? (await readExportKey(path));
  const roots = new Map<string, Map<number, SealedRoot>>();
  const verifiers = new Map<string, LogVerifier>();
  const verifierOf = (tenantId: string) => {
    const known = verifiers.get(tenantId);
    if (known !== undefined) return known;
    const made = new LogVerifier({ tenantId, publicKey: key });
    verifiers.set(tenantId, made);
    return made;
  };
  let verified = 0;
  for await (const section of readExport(path)) {
    const { tenantId, number, treeSize, root } = section.checkpoint;
    verifierOf(tenantId).check(section);
    if (options.anchorFile !== undefined) getOrMake(roots, tenantId).set(number, { treeSize, root });
    verified += section.records === 'dropped' ? 0 : section.records.length;
    options.onProgress(verified, undefined);
  }
  const tenants = [...verifiers.values()].map((verifier) => verifier.finish());
  const findRoots: FindRoots = async (tenantId) => roots.get(tenantId) ?? new Map<number, SealedRoot>();
  return toVerdict(key, tenants, await compareAnchor(options, key, findRoots));
}

async function compareAnchor(
  { anchorFile }: VerifyOptions,
  publicKey: Buffer,
  findRoots: FindRoots,
): Promise<AnchorVerdict> {
  if (anchorFile === undefined) return { findings: [], foreignLines: 0, newest: new Map() };
  return compareWithAnchor(anchorFile, publicKey, findRoots);
}

function toVerdict(publicKey: Buffer, tenants: readonly TenantVerdict[], anchor: AnchorVerdict): LogVerdict {
  const findings = [...tenants.flatMap((tenant) => tenant.findings), ...anchor.findings];
  return { publicKey, tenants, findings, waiting: [], foreignAnchorLines: anchor.foreignLines };
}

function getOrMake<Key, Value>(maps: Map<string, Map<Key, Value>>, name: string): Map<Key, Value> {
  const known = maps.get(name) ?? new Map<Key, Value>();
  maps.set(name, known);
  return known;
}

async function sizeOf(reader: LogReader, tenantIds: readonly string[]): Promise<number> {
  let total = 0;
  for (const tenantId of tenantIds) total += (await reader.newestCheckpoint(tenantId))?.treeSize ?? 0;
  return total;
}
