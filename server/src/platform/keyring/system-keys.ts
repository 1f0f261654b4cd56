import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { AuditSigner } from './audit-signer.ts';
import { type RootKey, RootKeyMismatch } from './kms/root-key.ts';
import { WrongRootKeyError } from './root-key-check.ts';
import { SystemSealer } from './system-sealer.ts';

const purposes = ['credential', 'exchange', 'audit', 'user'] as const;
type SystemKeyPurpose = (typeof purposes)[number];

interface SystemKeyRow {
  readonly purpose: SystemKeyPurpose;
  readonly root_key: string;
  readonly wrapped: Buffer;
}

/** Keys of the installation rather than of a tenant: the pepper of credentials, what servers know each other by, what signs the audit log, what seals for users. */
export class SystemKeys {
  readonly #keys: ReadonlyMap<SystemKeyPurpose, KeyObject>;

  /** Loads the keys, making them first in a database that has none. Two servers starting together end up with the same. */
  static async load(database: Database, rootKey: RootKey): Promise<SystemKeys> {
    // The foreign key is noticed before a missing one would be added under it.
    for (const row of await readRows(database)) requireSameRoot(row, rootKey);
    await addMissing(database, rootKey);
    const keys = new Map<SystemKeyPurpose, KeyObject>();
    for (const row of await readRows(database)) {
      requireSameRoot(row, rootKey);
      keys.set(row.purpose, await unwrap(row, rootKey));
    }
    return new SystemKeys(keys);
  }

  /** Whether the root key opens those that exist. Writes nothing. */
  static async requireOpens(database: Database, rootKey: RootKey): Promise<void> {
    for (const row of await readRows(database)) {
      requireSameRoot(row, rootKey);
      await unwrap(row, rootKey);
    }
  }

  private constructor(keys: ReadonlyMap<SystemKeyPurpose, KeyObject>) {
    this.#keys = keys;
  }

  /** Secrets have 256 random bits, so a fast keyed hash is enough: a slow one would only help whoever floods us. */
  hashCredential(secret: Uint8Array): Buffer {
    return createHmac('sha256', this.#key('credential')).update('strongroom/credential/1').update(secret).digest();
  }

  isCredential(secret: Uint8Array, hash: Buffer): boolean {
    return timingSafeEqual(this.hashCredential(secret), hash);
  }

  /** Marks a message between servers of this installation, so that nobody else can speak in their name. */
  authenticate(message: Buffer): Buffer {
    return createHmac('sha256', this.#key('exchange')).update('strongroom/exchange/1').update(message).digest();
  }

  /** Signs the checkpoints of the audit log. */
  auditSigner(): AuditSigner {
    return new AuditSigner(this.#key('audit'));
  }

  /** Seals what belongs to a user, or to nobody yet, and so to no tenant. */
  sealer(): SystemSealer {
    return new SystemSealer(this.#key('user'));
  }

  #key(purpose: SystemKeyPurpose): KeyObject {
    const key = this.#keys.get(purpose);
    if (key === undefined) throw new Error(`The system key ${purpose} is missing.`);
    return key;
  }
}

function readRows(database: Database): Promise<SystemKeyRow[]> {
  return database.forSystem((tx) =>
    tx.query<SystemKeyRow>({ text: 'select purpose, root_key, wrapped from system_keys where version = 1' }),
  );
}

/** All of them in one transaction: of two servers with different root keys, one gets every key and the other none. */
async function addMissing(database: Database, rootKey: RootKey): Promise<void> {
  const present = new Set((await readRows(database)).map(({ purpose }) => purpose));
  const made: SystemKeyRow[] = [];
  for (const purpose of purposes) {
    if (present.has(purpose)) continue;
    const wrapped = await rootKey.wrap(randomBytes(32), wrapContext(purpose));
    made.push({ purpose, root_key: rootKey.id, wrapped });
  }
  if (made.length === 0) return;
  await database.forSystem(async (tx) => {
    for (const row of made) {
      await tx.query({
        text: `insert into system_keys (purpose, version, root_key, wrapped) values ($1, 1, $2, $3) on conflict do nothing`,
        values: [row.purpose, row.root_key, row.wrapped],
      });
    }
  });
}

async function unwrap(row: SystemKeyRow, rootKey: RootKey): Promise<KeyObject> {
  try {
    return createSecretKey(await rootKey.unwrap(row.wrapped, wrapContext(row.purpose)));
  } catch (error) {
    if (!(error instanceof RootKeyMismatch)) throw error;
    throw new Error(
      `The ${row.purpose} key of the installation does not open under root key ${rootKey.id}: its row is damaged. ` +
        'Restore table system_keys from a backup before starting.',
      { cause: error },
    );
  }
}

function requireSameRoot(row: SystemKeyRow, rootKey: RootKey): void {
  if (row.root_key !== rootKey.id) throw new WrongRootKeyError(rootKey.id, row.root_key);
}

function wrapContext(purpose: SystemKeyPurpose) {
  return { tenant: 'system', purpose, version: 1 };
}
