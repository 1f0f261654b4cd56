import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OperatorError } from '../../../core/errors/operator-error.ts';
import { codeOf } from '../../../core/errors/thrown.ts';
import type { AuditSigner } from '../../../platform/keyring/sealing/audit-signer.ts';
import { sha256OfChunks } from '../../../platform/keyring/sealing/sha256.ts';
import { type BundleFile, bundleFiles, manifestName, toManifestText } from './evidence-manifest.ts';
import { toEvidencePage } from './evidence-page.ts';
import { type EvidenceView, toSchemaText } from './evidence-schema.ts';

/**
 * Runs the work in a new folder, and removes the folder if the work fails. Nothing that exists is overwritten, because
 * it may be evidence.
 */
export async function withBundleFolder<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const made = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (made === undefined && (await readdir(directory)).length > 0)
    throw new OperatorError(`${directory} is not empty. Name a new folder for the evidence.`);
  try {
    await mkdir(path.join(directory, 'proofs'), { mode: 0o700 });
    return await work();
  } catch (error) {
    await removeParts(directory, made !== undefined);
    throw error;
  }
}

/** Removes only what a bundle consists of. */
async function removeParts(directory: string, isOurs: boolean): Promise<void> {
  for (const name of [...bundleFiles, manifestName]) await rm(path.join(directory, name), { force: true });
  await rm(path.join(directory, 'proofs'), { recursive: true, force: true });
  if (isOurs) await rm(directory, { recursive: true, force: true });
}

/** Writes the evidence beside its proofs, and at last the signed list of all files. */
export async function writeBundle(directory: string, view: EvidenceView, signer: AuditSigner): Promise<void> {
  const write = (name: BundleFile | typeof manifestName, text: string) =>
    writeFile(path.join(directory, name), text, { flag: 'wx', mode: 0o600 });
  await write('evidence.json', `${JSON.stringify(view, undefined, 2)}\n`);
  await write('evidence.schema.json', toSchemaText());
  await write('evidence.html', toEvidencePage(view));
  const files = [];
  for (const name of bundleFiles) files.push(await describeFile(directory, name));
  const publicKey = signer.publicKey.toString('base64');
  await write(manifestName, toManifestText({ created_at: view.finished_at, public_key: publicKey, files }, signer));
}

/** Returns the size and the digest of a file, whatever its size. */
export async function describeFile(directory: string, name: BundleFile) {
  const file = path.join(directory, name);
  const { size } = await stat(file).catch((error: unknown) => {
    throw codeOf(error) === 'ENOENT' ? new OperatorError(`${name} is missing.`) : error;
  });
  const digest = await sha256OfChunks(createReadStream(file));
  return { name, bytes: size, sha256: digest.toString('hex') };
}
