import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { AuditSigner } from '../../keyring/sealing/audit-signer.ts';
import { openSignedText, toSignedText } from '../../keyring/sealing/signed-text.ts';
import { parseJsonOrNothing } from '../record/json-or-nothing.ts';

const count = Type.Integer({ minimum: 0 });
const order = Type.String({ pattern: '^-?\\d{1,20}$' });

/** A file of an archive: consecutive checkpoints of one tenant and one month, with their records. */
const ArchivedFile = Type.Object({
  name: Type.String({ pattern: '^[0-9a-f-]{36}-\\d{5}\\.ndjson\\.gz$' }),
  tenant_id: Type.String({ maxLength: 36 }),
  /** The size and the digest of the file, and its size before compression. */
  bytes: count,
  sha256: Type.String({ maxLength: 64 }),
  text_bytes: count,
  records: count,
  /** The numbers of the first and the last checkpoint, and what sealing orders they cover: `order_to` is exclusive. */
  first: count,
  last: count,
  order_from: order,
  order_to: order,
  /** The root of the tree at the last checkpoint. */
  root: Type.String({ maxLength: 44 }),
});
export type ArchivedFile = Static<typeof ArchivedFile>;

const Manifest = Type.Object({
  month: Type.String({ pattern: '^\\d{4}-\\d{2}$' }),
  public_key: Type.String({ maxLength: 44 }),
  files: Type.Array(ArchivedFile),
});
/** What was archived of a month, such as `2026-05`. */
export type Manifest = Static<typeof Manifest>;

/** The first line of the signed text. No other text that the vault signs begins with it. */
const format = 'strongroom/audit-archive/1';
export const manifestName = 'manifest';
/** This is enough for a hundred thousand files. */
export const manifestBytesMax = 64 * 1024 * 1024;

export function toManifestText(manifest: Manifest, signer: AuditSigner): string {
  return toSignedText(format, manifest, signer);
}

/** Returns undefined unless the text is exactly what the holder of the key signed, for this month. */
export function parseManifest(text: string, month: string, publicKey: Buffer): Manifest | undefined {
  const manifest = parseJsonOrNothing(openSignedText(format, text, publicKey) ?? '');
  return Value.Check(Manifest, manifest) && manifest.month === month ? manifest : undefined;
}
