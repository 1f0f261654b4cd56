import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { parseJsonOrNothing } from '../../../platform/audit/record/json-or-nothing.ts';
import type { AuditSigner } from '../../../platform/keyring/sealing/audit-signer.ts';
import { openSignedText, toSignedText } from '../../../platform/keyring/sealing/signed-text.ts';

/** The files of every bundle, besides the manifest. No name comes from a manifest, so none can lead elsewhere. */
export const bundleFiles = [
  'evidence.json',
  'evidence.schema.json',
  'evidence.html',
  'proofs/checkpoints.ndjson',
  'proofs/consistency.ndjson',
  'proofs/records.ndjson',
] as const;
export type BundleFile = (typeof bundleFiles)[number];
export const manifestName = 'manifest';

/** The first line of the signed text. A later version of the format has another, which this one does not accept. */
const format = 'strongroom/evidence-manifest/1';
const closed = { additionalProperties: false };

const Manifest = Type.Object(
  {
    created_at: Type.String({ maxLength: 30 }),
    public_key: Type.String({ maxLength: 44 }),
    files: Type.Array(
      Type.Object(
        {
          name: Type.String({ maxLength: 100 }),
          bytes: Type.Integer({ minimum: 0 }),
          sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
        },
        closed,
      ),
      { maxItems: bundleFiles.length },
    ),
  },
  closed,
);
export type Manifest = Static<typeof Manifest>;

export function toManifestText(manifest: Manifest, signer: AuditSigner): string {
  return toSignedText(format, manifest, signer);
}

/**
 * Returns undefined unless the holder of the key signed exactly this text, and it lists exactly the files of a bundle.
 */
export function parseManifest(text: string, publicKey: Buffer): Manifest | undefined {
  const manifest = parseJsonOrNothing(openSignedText(format, text, publicKey) ?? '');
  if (!Value.Check(Manifest, manifest)) return undefined;
  const names = manifest.files.map(({ name }) => name);
  const isWhole = names.length === bundleFiles.length && bundleFiles.every((name, index) => names[index] === name);
  return isWhole ? manifest : undefined;
}
