import { type AnchorVerdict, compareWithAnchor, type FindRoots, type SealedRoot } from './anchor-comparison.ts';
import { readExport, readExportKey } from './log-export.ts';
import { type LogTree, nameOfTree, toNodeMember } from '../../core/audit/log-tree.ts';
import { listTrees, type OpenLog, type ReadableTree, readersOf } from './log-trees.ts';
import { listNodeSeals, type NodeSeal } from './node-seal.ts';
import { NodeSealComparison } from './node-seal-comparison.ts';
import { type Finding, LogVerifier, type TenantVerdict } from './log-verifier.ts';
import type { WaitingRecords } from './waiting-records.ts';

export interface LogVerdict {
  readonly publicKey: Buffer;
  readonly tenants: readonly TenantVerdict[];
  readonly findings: readonly Finding[];
  /** Records that are not sealed yet: nothing vouches for them. An export holds none. */
  readonly waiting: readonly WaitingRecords[];
  /** Lines of the anchor that this vault did not sign. */
  readonly foreignAnchorLines: number;
}

export interface VerifyOptions {
  /** A file of the second place. */
  readonly anchorFile?: string | undefined;
  readonly onProgress: (verified: number, total: number | undefined) => void;
}

/** Verifies the log in all databases of the vault, of one tenant or of all, with the key that the root key opens. */
export async function verifyDatabase(
  log: OpenLog,
  tenantId: string | undefined,
  options: VerifyOptions,
): Promise<LogVerdict> {
  const { publicKey } = log;
  const readers = readersOf(log);
  const present = await listTrees(log, tenantId);
  const total = await sizeOf(present);
  const findRoots: FindRoots = async (tree, numbers) =>
    (await readers.find(({ node }) => node === tree.node)?.findRoots(tree.tenantId, numbers)) ?? new Map();
  const noted = new NodeSealComparison(findRoots);
  const tenants: TenantVerdict[] = [];
  let verified = 0;
  for (const { reader, tenantId: id } of present) {
    const verifier = new LogVerifier({ tenantId: id, node: reader.node, publicKey });
    // Asked first: what is sealed while the tree is read lies behind.
    const outside = await reader.listOutside(id);
    for await (const section of reader.sections(id)) {
      const sound = verifier.check(section);
      // On a node, whoever can write to it could have noted anything.
      if (reader.node === undefined) await noted.compare(listNodeSeals(sound));
      verified += section.records === 'dropped' ? 0 : section.records.length;
      options.onProgress(verified, total);
    }
    verifier.checkOutside(outside);
    tenants.push(verifier.finish());
  }
  const verdict = toVerdict(publicKey, tenants, {
    noted,
    anchor: await compareAnchor(options, publicKey, findRoots),
  });
  const waiting = (await Promise.all(readers.map((reader) => reader.listWaiting(tenantId)))).flat();
  return { ...verdict, findings: [...verdict.findings, ...findForgedStops(tenants, waiting)], waiting };
}

/** The sealer stops for a damaged checkpoint and for nothing else. Anyone who wrote the stop wants records that nothing vouches for. */
function findForgedStops(tenants: readonly TenantVerdict[], waiting: readonly WaitingRecords[]): Finding[] {
  const isDamaged = new Set(
    tenants.filter(({ findings }) => findings.some(({ kind }) => kind === 'checkpoint-changed')).map(nameOfTree),
  );
  return waiting
    .filter((of) => of.reason === 'checkpoint-damaged' && !isDamaged.has(nameOfTree(of)))
    .map(({ tenantId, node, records }) => ({
      kind: 'sealing-stopped',
      tenantId,
      ...toNodeMember({ node }),
      message: `Sealing is stopped and ${records} records wait, although no checkpoint is damaged. If none was put right just now, somebody has written to audit_seal_stops.`,
    }));
}

/** Verifies an exported file without a database. Unless a key is given, the file is believed about who signed it. */
export async function verifyExport(
  path: string,
  publicKey: Buffer | undefined,
  options: VerifyOptions,
): Promise<LogVerdict> {
  const key = publicKey ?? (await readExportKey(path));
  const roots = new Map<string, Map<number, SealedRoot>>();
  const verifiers = new Map<string, LogVerifier>();
  const verifierOf = (tree: LogTree) => {
    const known = verifiers.get(nameOfTree(tree));
    if (known !== undefined) return known;
    const made = new LogVerifier({ tenantId: tree.tenantId, node: tree.node, publicKey: key });
    verifiers.set(nameOfTree(tree), made);
    return made;
  };
  const seals: NodeSeal[] = [];
  let verified = 0;
  for await (const section of readExport(path)) {
    const { number, treeSize, root, node } = section.checkpoint;
    const sound = verifierOf(section.checkpoint).check(section);
    if (node === undefined) seals.push(...listNodeSeals(sound));
    if (options.anchorFile !== undefined)
      getOrMake(roots, nameOfTree(section.checkpoint)).set(number, { treeSize, root });
    verified += section.records === 'dropped' ? 0 : section.records.length;
    options.onProgress(verified, undefined);
  }
  const tenants = [...verifiers.values()].map((verifier) => verifier.finish());
  const findRoots: FindRoots = async (tree) => roots.get(nameOfTree(tree)) ?? new Map<number, SealedRoot>();
  return toVerdict(key, tenants, {
    noted: await compareSeals(path, seals),
    anchor: await compareAnchor(options, key, findRoots),
  });
}

/**
 * Reads the file once more for the checkpoints that home has noted: they come before or after the record of it, and all roots of a log
 * on nodes would be too many to keep.
 */
async function compareSeals(path: string, seals: readonly NodeSeal[]): Promise<NodeSealComparison> {
  const wanted = new Map<string, Map<number, SealedRoot | undefined>>();
  for (const seal of seals) getOrMake(wanted, nameOfTree(seal)).set(seal.number, undefined);
  if (seals.length > 0)
    for await (const { checkpoint } of readExport(path)) {
      const { number, treeSize, root } = checkpoint;
      const own = wanted.get(nameOfTree(checkpoint));
      if (own?.has(number) === true) own.set(number, { treeSize, root });
    }
  const comparison = new NodeSealComparison(async (tree) => {
    const own = [...(wanted.get(nameOfTree(tree)) ?? [])];
    return new Map(own.flatMap(([number, root]) => (root === undefined ? [] : [[number, root]])));
  });
  await comparison.compare(seals);
  return comparison;
}

async function compareAnchor(
  { anchorFile }: VerifyOptions,
  publicKey: Buffer,
  findRoots: FindRoots,
): Promise<AnchorVerdict> {
  if (anchorFile === undefined) return { findings: [], foreignLines: 0 };
  return compareWithAnchor(anchorFile, publicKey, findRoots);
}

/** What was compared with the trees. */
interface Comparisons {
  readonly noted: NodeSealComparison;
  readonly anchor: AnchorVerdict;
}

function toVerdict(publicKey: Buffer, tenants: readonly TenantVerdict[], { noted, anchor }: Comparisons): LogVerdict {
  const sealed = new Set(tenants.filter(({ newest }) => newest !== undefined).map(nameOfTree));
  const findings = [
    ...tenants.flatMap((tenant) => tenant.findings),
    ...noted.findings((tree) => !sealed.has(nameOfTree(tree))),
    ...anchor.findings,
  ];
  return { publicKey, tenants, findings, waiting: [], foreignAnchorLines: anchor.foreignLines };
}

function getOrMake<Key, Value>(maps: Map<string, Map<Key, Value>>, name: string): Map<Key, Value> {
  const known = maps.get(name) ?? new Map<Key, Value>();
  maps.set(name, known);
  return known;
}

async function sizeOf(trees: readonly ReadableTree[]): Promise<number> {
  let total = 0;
  for (const { reader, tenantId } of trees) total += (await reader.newestCheckpoint(tenantId))?.treeSize ?? 0;
  return total;
}
