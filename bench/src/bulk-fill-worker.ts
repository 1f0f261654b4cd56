import { parentPort, workerData } from 'node:worker_threads';
import type { TenantId } from '../../server/src/core/identity/ids.ts';
import { readServerConfig } from '../../server/src/platform/config/config.ts';
import { Database } from '../../server/src/platform/database/database.ts';
import { Keyring } from '../../server/src/platform/keyring/keys/keyring.ts';
import { openRootKeys } from '../../server/src/platform/keyring/kms/open-root-key.ts';
import { customerOf, emailOf, tokenIdOf, tokenOf } from './fill.ts';

/*
 * Creates token rows in PostgreSQL's COPY format, sealed by the vault's own code with its keys. A message requests a
 * range of tokens. The response contains three texts, one per table.
 */
export interface BulkFillWorkerData {
  readonly settings: Readonly<Record<string, string>>;
  readonly tenantId: string;
  readonly applicationId: string;
  readonly keyId: string;
  readonly total: number;
  /** Creation times are spread evenly from `from` to `to`, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

export interface BulkFillPart {
  readonly start: number;
  readonly count: number;
}

export interface BulkFillRows {
  readonly tokens: Uint8Array;
  readonly terms: Uint8Array;
  readonly records: Uint8Array;
}

const { settings, tenantId, applicationId, keyId, total, from, to } = workerData as BulkFillWorkerData;
const config = readServerConfig(settings);
const database = new Database({
  ...config.database,
  queueMax: 1,
  acquireTimeoutMs: 5_000,
  statementTimeoutMs: 5_000,
  applicationName: 'bench',
});
const keys = await new Keyring(database, await openRootKeys(config.rootKeys)).forTenant(tenantId as TenantId);
await database.close();

const none = String.raw`\N`;
const containers = '{/general/high/}';
/** COPY's text format requires a double backslash. */
const bytea = (bytes: Buffer) => String.raw`\\x${bytes.toString('hex')}`;

function toRows({ start, count }: BulkFillPart): BulkFillRows {
  const tokens: string[] = [];
  const terms: string[] = [];
  const records: string[] = [];
  for (let index = start; index < start + count; index += 1) {
    const id = tokenIdOf(index);
    const { data, mask, metadata, search_indexes } = tokenOf(index);
    const createdAt = new Date(from + ((to - from) * index) / total).toISOString();
    const text = JSON.stringify(data);
    const sealed = keys.seal(text, { tokenId: id, recordVersion: 1, type: 'token', field: 'data' });
    const found = [
      bytea(keys.blindIndex('data', emailOf(index))),
      bytea(keys.blindIndex('metadata', 'customer', customerOf(index))),
    ];
    const listed = `{${found.map((term) => `"\\\\${term}"`).join(',')}}`;
    tokens.push(
      [
        tenantId,
        id,
        'token',
        1,
        bytea(sealed),
        JSON.stringify(mask),
        containers,
        'token /general/high/',
        JSON.stringify(metadata),
        JSON.stringify(search_indexes),
        keys.fingerprint('token', text),
        none,
        listed,
        none,
        none,
        applicationId,
        createdAt,
        none,
        none,
      ].join('\t'),
    );
    for (const term of found) terms.push([tenantId, term, createdAt, id].join('\t'));
    const request = crypto.randomUUID();
    records.push(
      [
        tenantId,
        id,
        createdAt,
        crypto.randomUUID(),
        'token',
        'create',
        'success',
        applicationId,
        'application',
        keyId,
        request,
        '127.0.0.1',
        containers,
      ].join('\t'),
    );
  }
  return { tokens: toBytes(tokens), terms: toBytes(terms), records: toBytes(records) };
}

function toBytes(lines: readonly string[]): Uint8Array {
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

parentPort?.on('message', (part: BulkFillPart) => {
  const rows = toRows(part);
  parentPort?.postMessage(rows, [rows.tokens.buffer, rows.terms.buffer, rows.records.buffer] as ArrayBuffer[]);
});
