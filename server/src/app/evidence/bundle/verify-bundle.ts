import { lstat, open, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Value } from 'typebox/value';
import { codeOf } from '../../../core/errors/thrown.ts';
import { parseJsonOrNothing } from '../../../platform/audit/record/json-or-nothing.ts';
import { isGenuine, parseCheckpointJson } from '../../../platform/audit/seal/checkpoint.ts';
import { isConsistent, parseConsistencyJson } from '../../../platform/audit/verify/consistency-proof.ts';
import { isProven, parseProofJson } from '../../../platform/audit/verify/inclusion-proof.ts';
import { readLines } from '../../../platform/files/line-reader.ts';
import { bundleFiles, manifestName, parseManifest } from './evidence-manifest.ts';
import { EvidenceView } from './evidence-schema.ts';
import { describeFile } from './file-description.ts';

/** What was found in a bundle. It is as it was written only if there are no problems. */
export interface BundleVerdict {
  readonly problems: readonly string[];
  readonly evidence: EvidenceView | undefined;
  readonly proven: { readonly checkpoints: number; readonly consistency: number; readonly records: number };
}

const nothingProven = { checkpoints: 0, consistency: 0, records: 0 };
const manifestBytesMax = 64 * 1024;
/** The largest evidence.json that this version writes has a few hundred kilobytes. */
const evidenceBytesMax = 16 * 1024 * 1024;
const problemsMax = 20;

/**
 * Checks a bundle without the vault: the signature with a key that the reader knows, the digest of each file, that there
 * is no other file, and every proof.
 */
export async function verifyBundle(directory: string, publicKey: Buffer): Promise<BundleVerdict> {
  const refuse = (...problems: string[]) => ({ problems, evidence: undefined, proven: nothingProven });
  const strange = await findStrangeFiles(directory);
  if (strange.length > 0) return refuse(...strange);
  const manifest = parseManifest(await readShort(path.join(directory, manifestName)), publicKey);
  if (manifest === undefined)
    return refuse('The manifest is not one that the vault with this key signed, or this version cannot read it.');
  const changed: string[] = [];
  for (const [index, name] of bundleFiles.entries()) {
    const listed = manifest.files[index];
    // A file of another size is not read, however large it is.
    const { size } = await lstat(path.join(directory, name));
    const isSame = listed?.bytes === size && listed.sha256 === (await describeFile(directory, name)).sha256;
    if (!isSame) changed.push(`${name} was changed.`);
  }
  if (changed.length > 0) return refuse(...changed);
  const evidence = parseJsonOrNothing(await readFile(path.join(directory, 'evidence.json'), 'utf8'));
  const expectedKey = publicKey.toString('base64');
  if (!Value.Check(EvidenceView, evidence) || evidence.public_key !== expectedKey)
    return refuse('evidence.json does not match its schema.');
  return { evidence, ...(await checkProofs(directory, publicKey, evidence.tenant_id)) };
}

/** Finds files that do not belong to a bundle, are missing, or are not plain files, without reading any. */
async function findStrangeFiles(directory: string): Promise<string[]> {
  const expected = new Set<string>([...bundleFiles, manifestName, 'proofs']);
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  const names = found.map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)));
  const isPlain = new Map(
    found.map((entry, index) => [names[index] ?? '', names[index] === 'proofs' ? entry.isDirectory() : entry.isFile()]),
  );
  const foreign = names.filter((name) => !expected.has(name)).length;
  const problems = [
    ...(foreign === 0 ? [] : [`${foreign} files do not belong to the bundle.`]),
    ...[...expected].filter((name) => !isPlain.has(name)).map((name) => `${name} is missing.`),
    ...[...expected].filter((name) => isPlain.get(name) === false).map((name) => `${name} is not a plain file.`),
  ];
  if (problems.length > 0) return problems;
  const { size } = await lstat(path.join(directory, 'evidence.json'));
  return size > evidenceBytesMax ? ['evidence.json is too large.'] : [];
}

async function checkProofs(directory: string, publicKey: Buffer, tenantId: string | null) {
  const problems: string[] = [];
  const isOwn = (tenant: string) => tenantId === null || tenant === tenantId;
  const check = async (name: (typeof bundleFiles)[number], isRight: (value: unknown) => boolean) => {
    let proven = 0;
    let line = 0;
    for await (const text of readLines(path.join(directory, name))) {
      line += 1;
      if (isRight(parseJsonOrNothing(text))) proven += 1;
      else if (problems.length < problemsMax) problems.push(`Line ${line} of ${name} proves nothing.`);
    }
    return proven;
  };
  const checkpoints = await check('proofs/checkpoints.ndjson', (value) => {
    const checkpoint = parseCheckpointJson(value);
    return checkpoint !== undefined && isGenuine(checkpoint, publicKey) && isOwn(checkpoint.tenantId);
  });
  const consistency = await check('proofs/consistency.ndjson', (value) => {
    const proof = parseConsistencyJson(value);
    return proof !== undefined && isConsistent(proof, publicKey) && isOwn(proof.newer.tenantId);
  });
  const records = await check('proofs/records.ndjson', (value) => {
    const proof = parseProofJson(value);
    return proof !== undefined && isProven(proof, publicKey) && isOwn(proof.checkpoint.tenantId);
  });
  return { problems, proven: { checkpoints, consistency, records } };
}

/** Returns the first part of a file. A manifest that is longer than any cannot be valid. */
async function readShort(file: string): Promise<string> {
  try {
    const handle = await open(file);
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(manifestBytesMax), 0, manifestBytesMax, 0);
      return buffer.subarray(0, bytesRead).toString('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}
