import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { OperatorError } from '../../../core/errors/operator-error.ts';
import { codeOf } from '../../../core/errors/thrown.ts';
import { sha256OfChunks } from '../../../platform/keyring/sealing/sha256.ts';
import type { BundleFile } from './evidence-manifest.ts';

/** A file as the manifest lists it. */
export interface FileDescription {
  readonly name: BundleFile;
  readonly bytes: number;
  readonly sha256: string;
}

/** Returns the size and the digest of a file, whatever its size. */
export async function describeFile(directory: string, name: BundleFile): Promise<FileDescription> {
  const file = path.join(directory, name);
  const { size } = await stat(file).catch((error: unknown) => {
    throw codeOf(error) === 'ENOENT' ? new OperatorError(`${name} is missing.`) : error;
  });
  const digest = await sha256OfChunks(createReadStream(file));
  return { name, bytes: size, sha256: digest.toString('hex') };
}
