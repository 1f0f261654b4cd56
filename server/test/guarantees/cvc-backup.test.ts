import { createSecretKey, type KeyObject, randomBytes, randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../src/platform/database/migrations/migrator.ts';
import { EpochKeys } from '../../src/platform/keyring/cvc/epoch-keys.ts';
import { lifeMs } from '../../src/platform/keyring/cvc/epoch.ts';
import { EpochStore } from '../../src/platform/keyring/cvc/epoch-store.ts';
import { FileRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { keyVersionOf, openRecord, type RecordBinding } from '../../src/platform/keyring/sealing/sealed-record.ts';
import { ArchivedPostgres } from '../harness/archived-postgres.ts';
import { CanaryScanner } from '../harness/canary-scanner.ts';
import { makeCardNumber } from '../harness/card-number.ts';
import { untilTrue } from '../harness/deadline.ts';
import { openTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { untilServed } from '../harness/until-served.ts';

/** `npm run test:cvc-backup` runs the long form: ten thousand codes. */
const cardCount = Number(process.env['CVC_CARDS'] ?? 300);
const atOnce = 32;

interface Card {
  readonly number: string;
  readonly cvc: string;
  id: string;
}

interface CvcRow {
  readonly record: Buffer;
  readonly binding: RecordBinding;
  readonly cvc: string;
}

/**
 * Another server of the vault with a clock that the test controls. It receives every key of the first, as servers do.
 */
let nowMs = 0;
let peer: EpochKeys;
const peerStore = new EpochStore();
/** A copy of the secrets that the servers destroy. No server keeps such a copy. */
let copiedSecrets: Buffer[];

const rootKey = randomBytes(32);
const cards: Card[] = Array.from({ length: cardCount }, () => ({
  number: makeCardNumber(),
  cvc: String(randomInt(100, 1_000)),
  id: '',
}));
let archived: ArchivedPostgres;
let tenant: TestTenant;
let restoredDatabase: TestDatabase;
let restoredVault: TestVault;
let openedWhileLive: number;
const opened = new AsyncDisposableStack();

beforeAll(async () => {
  archived = opened.adopt(await ArchivedPostgres.start(), (postgres) => postgres.stop());
  await migrate(archived.postgres.url);
  const vault = await TestVault.start(rootKey, { database: openTestDatabase(archived.postgres.url) });
  tenant = await vault.makeTenant();
  peer = opened.adopt(await EpochKeys.start({ ...peerOptions(vault), now: () => nowMs, store: peerStore }), (keys) =>
    keys.stop(),
  );
  await archived.takeBaseBackup();

  await forEachCard(async (card) => {
    const data = { number: card.number, cvc: card.cvc, expiration_month: 12, expiration_year: 2040 };
    const body = { type: 'card', data };
    // The request is retried if the vault is overloaded. The idempotency key prevents a second card.
    const headers = { 'bt-idempotency-key': crypto.randomUUID() };
    const answer = await untilServed(() =>
      vault.request('POST', '/tokens', { key: tenant.keys.private, body, headers }),
    );
    card.id = (answer.body as { id: string }).id;
  });
  openedWhileLive = await countOpenedCodes(vault);
  await untilPeerHasKeys(vault);
  copiedSecrets = peerStore.list(nowMs).map(({ secret }) => Buffer.from(secret));
  await vault.stop();

  restoredDatabase = openTestDatabase((await archived.restore()).url);
  restoredVault = opened.adopt(await TestVault.start(rootKey, { database: restoredDatabase }), (own) => own.stop());
}, 600_000);
afterAll(() => opened.disposeAsync());

describe('a base backup and the write-ahead log, restored', () => {
  it('bring back every card and every sealed code', async () => {
    expect(openedWhileLive).toBe(cardCount);
    expect(await readRows()).toHaveLength(cardCount);
    let numbers = 0;
    await forEachCard(async (card) => {
      if ((await readCard(restoredVault, card)).number === card.number) numbers += 1;
    });
    expect(numbers).toBe(cardCount);
  });

  it('give no server with the root key a single code', async () => {
    expect(await countOpenedCodes(restoredVault)).toBe(0);
    // The result is the same an hour and five minutes later, when the rows would have been swept.
    const late = await EpochKeys.start({ ...peerOptions(restoredVault), now: () => performance.now() + lifeMs });
    expect(await countOpened(await readRows(), (row) => late.open(row.record, row.binding))).toBe(0);
    await late.stop();
  });

  it('hold no key that opens one, wrapped under the root key or plain', async () => {
    const rows = await readRows();
    const keys = await everyKeyInTheBackup();
    // There are at least keys of three purposes of the tenant, four of the installation, and the root key itself.
    expect(keys.length).toBeGreaterThanOrEqual(8);
    expect(await countOpened(rows, openWithAny(keys))).toBe(0);
    // The attempt is realistic: with the secrets that the servers had in memory, it can decrypt every code.
    expect(await countOpened(rows, openWithAny(copiedSecrets.map((secret) => createSecretKey(secret))))).toBe(
      cardCount,
    );
  });

  it('have the memory of no server in any file', async () => {
    const [row] = await readRows();
    const scanner = new CanaryScanner([
      ...copiedSecrets.map((bytes) => ({ name: 'secret', bytes })),
      { name: 'sealed code', bytes: row?.record ?? Buffer.alloc(0) },
    ]);
    const { found } = await scanner.scanDirectory(archived.directory);
    expect(found).toContainEqual(expect.stringMatching(/^archive\/.*: sealed code as it is$/));
    expect(found.filter((sighting) => !sighting.endsWith(': sealed code as it is'))).toEqual([]);
  });
});

/** This group runs last because it moves the clock. */
describe('a server that had the keys', () => {
  it('opens every code until its time is over, and none 65 minutes after it was written', async () => {
    const rows = await readRows();
    const open = (row: CvcRow) => peer.open(row.record, row.binding);
    nowMs = lifeMs - 10 * 60_000;
    expect(await countOpened(rows, open)).toBe(cardCount);
    nowMs = lifeMs;
    expect(await countOpened(rows, open)).toBe(0);
    expect(peerStore.list(0).every(({ secret }) => copiedSecrets.every((copy) => !copy.equals(secret)))).toBe(true);
  });
});

/**
 * Waits for the peer's keys. They are sent in the background, and on a busy machine the last one may take a long time.
 */
async function untilPeerHasKeys({ database }: TestVault): Promise<void> {
  const { rows } = await database.owner.query<{ sealed: Buffer }>(
    'select sealed from token_cvcs where tenant_id = $1',
    [tenant.id],
  );
  const needed = new Set(rows.map(({ sealed }) => keyVersionOf(sealed)));
  await untilTrue(() => needed.isSubsetOf(new Set(peerStore.list(nowMs).map(({ id }) => id))), {
    waitingFor: 'every key of a code to reach the other server',
  });
}

function peerOptions(vault: TestVault) {
  const { systemKeys } = vault.server.core;
  return { url: vault.database.url, mac: (message: Buffer) => systemKeys.authenticate(message) };
}

async function forEachCard(work: (card: Card) => Promise<void>): Promise<void> {
  for (let start = 0; start < cards.length; start += atOnce) {
    await Promise.all(cards.slice(start, start + atOnce).map(work));
  }
}

async function readCard(vault: TestVault, card: Card): Promise<{ number?: string; cvc?: string }> {
  const { body } = await untilServed(() => vault.request('GET', `/tokens/${card.id}`, { key: tenant.keys.reveal }));
  return (body as { data: { number?: string; cvc?: string } }).data;
}

/** Counts the codes that a client with all permissions can read. */
async function countOpenedCodes(vault: TestVault): Promise<number> {
  let count = 0;
  await forEachCard(async (card) => {
    if ((await readCard(vault, card)).cvc === card.cvc) count += 1;
  });
  return count;
}

async function readRows(): Promise<CvcRow[]> {
  const { rows } = await restoredDatabase.owner.query<{ token_id: string; token_version: number; sealed: Buffer }>(
    'select token_id, token_version, sealed from token_cvcs where tenant_id = $1',
    [tenant.id],
  );
  const byId = new Map(cards.map((card) => [card.id, card]));
  return rows.map(({ token_id: tokenId, token_version: recordVersion, sealed }) => ({
    record: sealed,
    binding: { tenantId: tenant.id, tokenId, field: 'cvc', recordVersion, type: 'card' },
    cvc: byId.get(tokenId)?.cvc ?? '?',
  }));
}

async function countOpened(
  rows: readonly CvcRow[],
  open: (row: CvcRow) => Promise<string | undefined>,
): Promise<number> {
  const texts = await Promise.all(rows.map(open));
  return rows.filter(({ cvc }, index) => texts[index] === JSON.stringify(cvc)).length;
}

/** Returns a function that tries each key as the key of the epoch that the record names. */
function openWithAny(keys: readonly KeyObject[]): (row: CvcRow) => Promise<string | undefined> {
  return async ({ record, binding }) => {
    const version = keyVersionOf(record);
    for (const key of keys) {
      try {
        return openRecord(record, binding, { version, key }).toString('utf8');
      } catch {
        // The key does not fit.
      }
    }
    return undefined;
  };
}

/** Returns the root key and everything in the restored tables that is a key or has the length of one. */
async function everyKeyInTheBackup(): Promise<KeyObject[]> {
  const { owner } = restoredDatabase;
  const root = new FileRootKey(rootKey);
  const { rows: wrapped } = await owner.query<{ tenant: string; purpose: string; version: number; wrapped: Buffer }>(
    `select tenant_id::text as tenant, purpose, version, wrapped from tenant_keys
     union all select 'system', purpose, version, wrapped from system_keys`,
  );
  const unwrapped = await Promise.all(wrapped.map(({ wrapped: bytes, ...context }) => root.unwrap(bytes, context)));
  const { rows: columns } = await owner.query<{ column: string; table: string }>(
    `select quote_ident(column_name) as column, format('%I.%I', table_schema, table_name) as table
     from information_schema.columns where data_type = 'bytea' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const plain: Buffer[] = [];
  for (const { column, table } of columns) {
    const { rows } = await owner.query<{ value: Buffer }>(
      `select distinct ${column} as value from ${table} where length(${column}) = 32 limit 100`,
    );
    plain.push(...rows.map(({ value }) => value));
  }
  return [rootKey, ...unwrapped, ...plain].map((bytes) => createSecretKey(bytes));
}
