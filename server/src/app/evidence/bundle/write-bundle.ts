import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { AuditSigner } from '../../../platform/keyring/sealing/audit-signer.ts';
import { bundleFiles, manifestName, toManifestText } from './evidence-manifest.ts';
import { type BundleTarget, FolderTarget } from './bundle-target.ts';
import { toEvidencePage } from './evidence-page.ts';
import { type EvidenceView, toSchemaText } from './evidence-schema.ts';

/**
 * Runs the work in a new folder, and removes the folder if the work fails. Nothing that exists is overwritten, because
 * it may be evidence.
 */
export async function withBundleFolder<T>(directory: string, work: (target: BundleTarget) => Promise<T>): Promise<T> {
  const made = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (made === undefined && (await readdir(directory)).length > 0)
    throw new OperatorError(`${directory} is not empty. Name a new folder for the evidence.`);
  try {
    await mkdir(path.join(directory, 'proofs'), { mode: 0o700 });
    return await withTarget(directory, work);
  } catch (error) {
    await removeParts(directory, made !== undefined);
    throw error;
  }
}

async function withTarget<T>(directory: string, work: (target: BundleTarget) => Promise<T>): Promise<T> {
  const target = new FolderTarget(directory);
  try {
    return await work(target);
  } finally {
    await target.close();
  }
}

/** Removes only what a bundle consists of. */
async function removeParts(directory: string, isOurs: boolean): Promise<void> {
  for (const name of [...bundleFiles, manifestName]) await rm(path.join(directory, name), { force: true });
  await rm(path.join(directory, 'proofs'), { recursive: true, force: true });
  if (isOurs) await rm(directory, { recursive: true, force: true });
}

/** Writes the evidence beside its proofs, and at last the signed list of all files. */
export async function writeBundle(target: BundleTarget, view: EvidenceView, signer: AuditSigner): Promise<void> {
  await target.append('evidence.json', `${JSON.stringify(view, undefined, 2)}\n`);
  await target.append('evidence.schema.json', toSchemaText());
  await target.append('evidence.html', toEvidencePage(view));
  const files = [];
  for (const name of bundleFiles) files.push(await target.describe(name));
  const publicKey = signer.publicKey.toString('base64');
  await target.append(
    manifestName,
    toManifestText({ created_at: view.finished_at, public_key: publicKey, files }, signer),
  );
}
