import { Value } from 'typebox/value';
import { OperatorError } from '../../../core/errors/operator-error.ts';
import { parseJsonOrNothing } from '../../../platform/audit/record/json-or-nothing.ts';
import { sha256 } from '../../../platform/keyring/sealing/sha256.ts';
import type { ObjectStore } from '../../../platform/object-storage/object-store.ts';
import type { MemoryTarget } from '../bundle/bundle-target.ts';
import { bundleFiles, manifestName, parseManifest } from '../bundle/evidence-manifest.ts';
import { EvidenceView, toSchemaText } from '../bundle/evidence-schema.ts';
import { periodOf } from './past-month.ts';

const manifestBytesMax = 64 * 1024;
/** Enough for the months of an archive that is three hundred years old, and for the bundles beside them. */
const foldersMax = 5_000;

/** Bundles of evidence in the archive of the log, each in a folder with the name of its month, such as `evidence-2026-10`. */
export class KeptBundles {
  readonly #store: ObjectStore;
  readonly #publicKey: Buffer;

  constructor(store: ObjectStore, publicKey: Buffer) {
    this.#store = store;
    this.#publicKey = publicKey;
  }

  /** Returns true if there is a bundle of the month, about the whole vault, with every file as it was written. */
  async isWhole(month: string): Promise<boolean> {
    const folder = toFolder(month);
    const signed = await this.#store.get(`${folder}/${manifestName}`, manifestBytesMax);
    const manifest = signed === undefined ? undefined : parseManifest(signed.toString('utf8'), this.#publicKey);
    if (manifest === undefined) return false;
    for (const { name, bytes, sha256: digest } of manifest.files) {
      const content = await this.#store.get(`${folder}/${name}`, bytes);
      if (content === undefined || sha256(content).toString('hex') !== digest) return false;
      if (name === 'evidence.json' && !isOf(month, content)) return false;
    }
    return true;
  }

  /** Writes the file that is the same in every bundle. A place that cannot be written to is noticed before facts are read. */
  async begin(month: string): Promise<void> {
    await this.#store.put(`${toFolder(month)}/evidence.schema.json`, Buffer.from(toSchemaText()));
  }

  /** Writes the files, and after them the manifest. Throws unless they can be read back as they are. */
  async put(month: string, bundle: MemoryTarget): Promise<void> {
    for (const name of [...bundleFiles, manifestName] as const)
      await this.#store.put(`${toFolder(month)}/${name}`, bundle.read(name));
    if (!(await this.isWhole(month)))
      throw new OperatorError(
        `${toFolder(month)} in ${this.#store.name} is not what was written. It will be written again.`,
      );
  }

  /**
   * Removes all but the newest bundles. They are counted, and their age does not matter: a clock that is wrong must not
   * remove all of them.
   */
  async removeAllBut(kept: number): Promise<void> {
    const folders = (await this.#store.listFolders(foldersMax)).filter((name) => /^evidence-\d{4}-\d{2}$/.test(name));
    for (const folder of folders.toSorted().toReversed().slice(kept)) {
      for (const name of [...bundleFiles, manifestName]) await this.#store.delete(`${folder}/${name}`);
    }
  }
}

function toFolder(month: string): string {
  return `evidence-${month}`;
}

function isOf(month: string, content: Buffer): boolean {
  const evidence = parseJsonOrNothing(content.toString('utf8'));
  const { from, to } = periodOf(month);
  return (
    Value.Check(EvidenceView, evidence) &&
    evidence.tenant_id === null &&
    evidence.period.from === from.toISOString() &&
    evidence.period.to === to.toISOString()
  );
}
