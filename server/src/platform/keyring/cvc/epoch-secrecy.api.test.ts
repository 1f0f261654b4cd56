import { execFile } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import type { RecordBinding } from '../sealing/sealed-record.ts';
import { EpochKeys } from './epoch-keys.ts';
import { parsePayload } from './epoch-message.ts';
import { openParcel } from './epoch-parcel.ts';
import { EpochStore } from './epoch-store.ts';
import { untilPasses } from '../../../../test/harness/deadline.ts';

const run = promisify(execFile);
const binding: RecordBinding = { tenantId: 't1', tokenId: 'k1', field: 'cvc', recordVersion: 1, type: 'card' };
const macKey = randomBytes(32);
const mac = (message: Buffer) => createHmac('sha256', macKey).update(message).digest();
/** A code that is long enough not to occur by chance. A real code is too short for that. */
const code = randomBytes(16).toString('hex');

let test: TestDatabase;
let startedAt: number;
let eavesdropper: pg.Client;
const heard: string[] = [];
const servers: { readonly keys: EpochKeys; readonly store: EpochStore }[] = [];
let secrets: Buffer[];
let record: Buffer;

/** Starts three servers, the last of which gets every key over the wire, and stores a code like the vault does. */
beforeAll(async () => {
  startedAt = Date.now();
  test = await createTestDatabase();
  eavesdropper = new pg.Client({ connectionString: test.url });
  await eavesdropper.connect();
  eavesdropper.on('notification', ({ payload }) => void heard.push(payload ?? ''));
  await eavesdropper.query('listen strongroom_epochs');
  for (let count = 0; count < 3; count += 1) {
    const store = new EpochStore();
    servers.push({ keys: await EpochKeys.start({ url: test.url, mac, store }), store });
  }
  record = servers[0]?.keys.seal(code, binding) ?? Buffer.alloc(0);
  await test.owner.query('create table stored_codes (record bytea not null)');
  await test.owner.query('insert into stored_codes values ($1)', [record]);
  await untilPasses(() => {
    for (const { store } of servers) expect(store.size).toBe(3);
  });
  // These are copies, because the servers wipe their own secrets.
  secrets = servers.flatMap(({ store }) => store.listOwn(0).map(({ secret }) => Buffer.from(secret)));
  expect(secrets).toHaveLength(3);
});
afterAll(async () => {
  await Promise.all(servers.map(({ keys }) => keys.stop()));
  await eavesdropper.end();
  await test.drop();
});

/**
 * Returns how 32 bytes may appear in a file: raw, in hexadecimal, and in base64 at each of the three possible
 * alignments.
 */
function spellingsOf(secret: Buffer): Buffer[] {
  const hex = secret.toString('hex');
  const base64 = [0, 1, 2].map((skip) => {
    const aligned = secret.subarray((3 - skip) % 3);
    return aligned.subarray(0, aligned.length - (aligned.length % 3)).toString('base64');
  });
  return [secret, ...[hex, hex.toUpperCase(), ...base64].map((text) => Buffer.from(text, 'latin1'))];
}

/**
 * Lists files written since the secrets were created. No other files can contain them, and the cluster serves other
 * tests at the same time.
 */
async function writtenFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const times = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  return files.filter((_, index) => (times[index]?.mtimeMs ?? 0) >= startedAt - 2_000);
}

/**
 * Returns the files under the data directory that contain any of the needles. A file may disappear during the search.
 */
async function filesWith(needles: readonly Buffer[]): Promise<string[]> {
  const directory = inject('postgresDataDirectory');
  const found: string[] = [];
  for (const file of await writtenFiles(directory)) {
    const content = await readFile(file).catch(() => Buffer.alloc(0));
    if (needles.some((needle) => content.includes(needle))) found.push(path.relative(directory, file));
  }
  return found;
}

const keysMessages = () =>
  heard.map((payload) => parsePayload(payload, mac)).filter((message) => message?.kind === 'keys');

describe('the disk of the database', () => {
  /**
   * Pushes notifications to disk. While a listener is in a transaction, its notifications stay in the queue, and later
   * ones force the first ones to disk.
   */
  async function pushQueueToDisk<T>(work: () => Promise<T>): Promise<T> {
    const sleeper = new pg.Client({ connectionString: test.url });
    await sleeper.connect();
    await sleeper.query('listen strongroom_epochs');
    await sleeper.query('begin');
    await sleeper.query('select 1');
    try {
      const before = heard.length;
      const late = await EpochKeys.start({ url: test.url, mac });
      await late.stop();
      await untilPasses(() => expect(heard.length).toBeGreaterThan(before + 3));
      for (let count = 0; count < 200; count += 1) {
        await test.owner.query(`select pg_notify('somewhere_else', $1)`, [`${count}${'x'.repeat(7_000)}`]);
      }
      await test.owner.query('checkpoint');
      return await work();
    } finally {
      await sleeper.query('commit');
      await sleeper.end();
    }
  }

  it('holds messages and sealed codes, but no secret and no code: not in tables, WAL or the queue of notices', async () => {
    await pushQueueToDisk(async () => {
      // This first verifies that the search works.
      const said = heard.filter((payload) => parsePayload(payload, mac)?.kind === 'keys').slice(-6);
      expect((await filesWith(said.map((text) => Buffer.from(text)))).join()).toContain('pg_notify');
      // The record is inserted a few more times. A checkpoint of another test may have removed the WAL of one copy, and
      // another copy may span two WAL pages.
      for (const _ of [1, 2, 3]) await test.owner.query('insert into stored_codes values ($1)', [record]);
      const stored = (await filesWith([record])).join();
      expect(stored).toContain('base');
      expect(stored).toContain('pg_wal');

      expect(await filesWith([...secrets.flatMap(spellingsOf), Buffer.from(code)])).toEqual([]);
    });
  });

  it('is not found out by a dump', async () => {
    const { stdout } = await run(path.join(inject('postgresBinaryDirectory'), 'pg_dump'), [test.url], {
      maxBuffer: 256 * 1_024 * 1_024,
    });
    expect(stdout).toContain(record.toString('hex'));
    for (const needle of [...secrets.flatMap(spellingsOf), Buffer.from(code)]) {
      expect(stdout).not.toContain(needle.toString('latin1'));
    }
    expect(stdout).not.toContain('strongroom_epochs');
  });

  it('spells a secret in every way it could be written', () => {
    const [secret = Buffer.alloc(32)] = secrets;
    for (let skip = 0; skip < 3; skip += 1) {
      const text = Buffer.concat([randomBytes(skip), secret, randomBytes(4)]).toString('base64');
      expect(spellingsOf(secret).some((spelling) => text.includes(spelling.toString('latin1')))).toBe(true);
    }
  });
});

describe('an eavesdropper with every message and the MAC key', () => {
  it('reads all that was said and opens none of it', () => {
    const messages = keysMessages();
    expect(messages.length).toBeGreaterThanOrEqual(6);
    const publicKeys = heard.flatMap((payload) => parsePayload(payload, mac)?.sender.publicKey ?? []);
    const oneShotKeys = messages.map(({ oneShotKey }) => oneShotKey);
    const candidates = [macKey, Buffer.alloc(32), ...publicKeys, ...oneShotKeys];
    for (const { receiverKey, oneShotKey, parcel, head, sender } of messages) {
      const context = { counter: sender.counter, associatedData: head };
      for (const secret of candidates) {
        const receiver = { publicKey: receiverKey, secret };
        expect(openParcel(parcel, { oneShotKey, receiver }, context)).toBeUndefined();
      }
    }
  });

  it('hears no secret in any spelling', () => {
    const bytes = Buffer.concat(heard.map((payload) => Buffer.from(payload, 'base64')));
    const text = heard.join('\n');
    for (const secret of secrets) {
      expect(bytes.includes(secret)).toBe(false);
      for (const spelling of spellingsOf(secret)) expect(text).not.toContain(spelling.toString('latin1'));
    }
  });
});

describe('somebody with a login and without the MAC key', () => {
  it('neither gets a key nor plants one, by whatever is sent', async () => {
    const sizes = servers.map(({ store }) => store.size);
    const payloads = [...heard, ...heard.map((payload) => payload.slice(4)), 'x'.repeat(7_999), '', '{}'];
    for (const payload of payloads) await test.owner.query(`select pg_notify('strongroom_epochs', $1)`, [payload]);
    const marker = randomBytes(8).toString('hex');
    await test.owner.query(`select pg_notify('strongroom_epochs', $1)`, [marker]);
    await untilPasses(() => expect(heard).toContain(marker));
    for (const { keys } of servers) expect(await keys.open(record, binding)).toBe(code);
    expect(servers.map(({ store }) => store.size)).toEqual(sizes);
  });
});
