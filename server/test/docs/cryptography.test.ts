import {
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  randomBytes,
  verify,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeBase58, encodeBase58 } from '../../src/core/identity/base58.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { cut, joined, rowsOf } from './page-layout.ts';

// docs/security/cryptography.md is sufficient to decrypt the data that a vault has stored. No code of the keyring is
// used here.

const page = readFileSync(new URL('../../../docs/security/cryptography.md', import.meta.url), 'utf8');
const rootKey = randomBytes(32);
const stored = { type: 'token', data: { secret: 'a text', amount: 1 } };
let vault: TestVault;
let tenant: TestTenant;
let token: { readonly id: string; readonly type: string; readonly version: number; data: Buffer; fingerprint: string };

beforeAll(async () => {
  vault = await TestVault.start(rootKey);
  tenant = await vault.makeTenant();
  expect((await vault.request('POST', '/tokens', { key: tenant.keys.private, body: stored })).status).toBe(201);
  token = await readRow('select * from tokens where tenant_id = $1', [tenant.id]);
});
afterAll(() => vault.stop());

async function readRow<Row extends object>(statement: string, values: readonly unknown[]): Promise<Row> {
  const { rows } = await vault.database.owner.query<Row>(statement, [...values]);
  if (rows[0] === undefined) throw new Error('There is no such row.');
  return rows[0];
}

/** Returns a text that is hashed or used for derivation, after checking that the page contains it. */
function label(text: string): string {
  expect(page).toContain(`\`${text}\``);
  return text;
}

function decrypt(key: Buffer, nonce: Buffer, associatedData: Buffer, [ciphertext, tag]: readonly Buffer[]): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
  decipher.setAAD(associatedData).setAuthTag(tag ?? Buffer.alloc(0));
  return Buffer.concat([decipher.update(ciphertext ?? Buffer.alloc(0)), decipher.final()]);
}

function unwrap(wrapped: Buffer, context: readonly (string | number)[]): Buffer {
  const [format, nonce = Buffer.alloc(0), ...sealed] = cut(page, 'wrapped key', wrapped);
  expect(format).toEqual(Buffer.of(1));
  return decrypt(rootKey, nonce, joined([label('strongroom/wrap/1'), ...context]), sealed);
}

async function tenantKey(purpose: string): Promise<Buffer> {
  const row = 'select wrapped from tenant_keys where tenant_id = $1 and purpose = $2 and version = 1';
  return unwrap((await readRow<{ wrapped: Buffer }>(row, [tenant.id, purpose])).wrapped, [tenant.id, purpose, 1]);
}

async function systemKey(purpose: string): Promise<Buffer> {
  const row = 'select wrapped from system_keys where purpose = $1 and version = 1';
  return unwrap((await readRow<{ wrapped: Buffer }>(row, [purpose])).wrapped, ['system', purpose, 1]);
}

/** Computes HKDF-Expand for up to one block. */
function expand(key: Buffer, info: Buffer): Buffer {
  return createHmac('sha512', key).update(info).update(Buffer.of(1)).digest();
}

describe('the page about cryptography', () => {
  it('is enough to open a stored token', async () => {
    const [
      format,
      suite = Buffer.alloc(0),
      keyVersion = Buffer.alloc(0),
      salt = Buffer.alloc(0),
      commitment,
      ...sealed
    ] = cut(page, 'sealed record', token.data);
    expect([format, suite, keyVersion]).toEqual([Buffer.of(1), Buffer.of(1), Buffer.of(0, 0, 0, 1)]);
    const info = Buffer.concat([Buffer.from(label('strongroom/token/1')), suite, keyVersion, salt]);
    const derived = expand(await tenantKey('data'), info);
    expect(derived.subarray(32)).toEqual(commitment);

    const binding: Readonly<Record<string, string | number>> = {
      tenant: tenant.id,
      row: token.id,
      field: 'data',
      'version of the row': token.version,
      type: token.type,
      suite: 1,
      'key version': 1,
    };
    const parts = rowsOf(page, 'associated data').map(([, content = '']) => binding[content] ?? content);
    const plaintext = decrypt(derived.subarray(0, 32), Buffer.alloc(12), joined(parts), sealed);
    expect(JSON.parse(plaintext.toString('utf8'))).toEqual(stored.data);
  });

  it('is enough to compute a fingerprint', async () => {
    const message = joined([label('strongroom/fingerprint/1'), 'token', JSON.stringify(stored.data)]);
    const hash = createHmac('sha256', await tenantKey('fingerprint'))
      .update(message)
      .digest();
    expect(encodeBase58(hash)).toBe(token.fingerprint);
  });

  it('is enough to recognise an API key', async () => {
    const [, , , random = '', checksum] = tenant.keys.private.split('_');
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(tenant.keys.private.slice(0, tenant.keys.private.lastIndexOf('_'))));
    expect(encodeBase58(sum)).toBe(checksum);
    const id = Buffer.from(decodeBase58(random.slice(0, 22), 16) ?? []).toString('hex');
    const hash = createHmac('sha256', await systemKey('credential'))
      .update(label('strongroom/credential/1'))
      .update(decodeBase58(random.slice(22), 32) ?? '')
      .digest();
    const row = 'select secret_hash from application_keys where id = $1::uuid';
    expect((await readRow<{ secret_hash: Buffer }>(row, [id])).secret_hash).toEqual(hash);
  });

  it('is enough to check a proof of a record', async () => {
    await sealAll(vault.database, signerOf(vault.server));
    const key = tenant.keys.management;
    const { body: list } = await vault.request('GET', '/logs?entity_type=token', { key });
    const [{ id, created_at: at }] = (list as { data: [{ id: string; created_at: string }] }).data;
    const { body } = await vault.request('GET', `/logs/${id}/proof?created_at=${encodeURIComponent(at)}`, { key });
    const { record, index, path, checkpoint, public_key: publicKey } = body as Proof;

    const fields = rowsOf(page, 'audit record').flatMap(([cell = '']) => cell.replaceAll('`', '').split(', '));
    expect(new Set(fields)).toEqual(new Set(Object.keys(record)));
    const isLater = record['transform'] !== null || record['details'] !== null;
    const format = label(isLater ? 'strongroom/audit-record/2' : 'strongroom/audit-record/1');
    const values = (isLater ? fields : fields.slice(0, fields.indexOf('transform'))).map((name) => record[name]);
    const text = `[${[format, ...values].map((value) => JSON.stringify(value)).join(', ')}]`;
    const hashes = path.map((hash) => Buffer.from(hash, 'base64'));
    const leaf = sha256(Buffer.of(0), Buffer.from(text, 'utf8'));
    const size = Number(checkpoint['tree_size']);
    expect(rootFrom(leaf, { index, size }, hashes).toString('base64')).toBe(checkpoint['root']);

    const members = ['tenant_id', 'tree_size', 'root', 'number', 'month', 'order_to', 'sealed_at'];
    const lines = rowsOf(page, 'checkpoint').map(
      ([, content = ''], at) => `${/^`([^`]+)` and/.exec(content)?.[1] ?? ''}${checkpoint[members[at] ?? '']}\n`,
    );
    const seed = expand(await systemKey('audit'), Buffer.from(label('strongroom/audit-signature/1'))).subarray(0, 32);
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
    const ownKey = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
    expect(ownKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')).toBe(publicKey);
    const signature = Buffer.from(String(checkpoint['signature']), 'base64');
    expect(verify(null, Buffer.from(lines.join(''), 'utf8'), ownKey, signature)).toBe(true);
  });
});

interface Proof {
  readonly record: Readonly<Record<string, unknown>>;
  readonly index: number;
  readonly path: readonly string[];
  readonly checkpoint: Readonly<Record<string, string | number>>;
  readonly public_key: string;
}

function sha256(...parts: readonly Buffer[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest();
}

/**
 * Computes the root by RFC 6962 §2.1. The left subtree is the largest complete one for which the right subtree is not
 * empty.
 */
function rootFrom(leaf: Buffer, { index, size }: { index: number; size: number }, path: readonly Buffer[]): Buffer {
  const sibling = path.at(-1);
  if (sibling === undefined) return leaf;
  const left = 2 ** Math.ceil(Math.log2(size) - 1);
  const rest = path.slice(0, -1);
  return index < left
    ? sha256(Buffer.of(1), rootFrom(leaf, { index, size: left }, rest), sibling)
    : sha256(Buffer.of(1), sibling, rootFrom(leaf, { index: index - left, size: size - left }, rest));
}
