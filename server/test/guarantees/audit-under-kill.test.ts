import { setTimeout as pauseFor } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { withLog } from '../../src/app/operations/open-log.ts';
import { verifyDatabase } from '../../src/platform/audit/verify/log-verification.ts';
import { readLogConfig } from '../../src/platform/config/config.ts';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { untilTrue } from '../harness/deadline.ts';

/** `npm run test:audit` runs the long form: fifty kills. */
const killCount = Number(process.env['AUDIT_KILLS'] ?? 2);
const callers = 8;

let database: TestDatabase;
let settings: Record<string, string>;
let url: string;
beforeAll(async () => {
  database = await createTestDatabase();
  const port = await findFreePort();
  url = `http://127.0.0.1:${port}`;
  settings = {
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_ROOT_KEY: generateRootKey(),
    STRONGROOM_PUBLIC_URL: url,
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_PORT: String(port),
    STRONGROOM_ADMIN_PORT: '0',
    STRONGROOM_WORKER_ADMIN_PORT: '0',
    STRONGROOM_LOG_LEVEL: 'error',
    STRONGROOM_RATE_LIMITS: 'off',
  };
});
afterEach(() => Program.killAll());
afterAll(() => database.drop());

async function makeKey(): Promise<string> {
  const { stdout } = await Program.run(['bootstrap', '--name', 'Acme', '--json'], settings);
  const { keys } = JSON.parse(stdout) as { keys: { management: string } };
  const response = await fetch(`${url}/applications`, {
    method: 'POST',
    headers: { 'bt-api-key': keys.management, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Load', type: 'private', permissions: ['token:create', 'token:read'] }),
  });
  return ((await response.json()) as { key: string }).key;
}

interface Acknowledged {
  readonly requestId: string;
  readonly operation: 'create' | 'read';
  readonly tokenId: string;
}

/**
 * Creates and reads tokens until it is stopped, and remembers the acknowledged requests. It pauses only while no server
 * is running.
 */
class Load {
  readonly acknowledged: Acknowledged[] = [];
  readonly #key: string;
  readonly #working: Promise<void>[];
  #isOver = false;
  #count = 0;

  constructor(key: string) {
    this.#key = key;
    this.#working = Array.from({ length: callers }, () => this.#work());
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#working);
  }

  async #work(): Promise<void> {
    while (!this.#isOver) {
      const tokenId = await this.#ask('create', '/tokens', { type: 'token', data: 'x' });
      if (tokenId !== undefined) await this.#ask('read', `/tokens/${tokenId}`);
      // A stopped server refuses connections immediately. Without a pause, the loop would spin.
      else await pauseFor(50);
    }
  }

  async #ask(operation: 'create' | 'read', path: string, body?: unknown): Promise<string | undefined> {
    this.#count += 1;
    const requestId = `load-${this.#count}`;
    try {
      const response = await fetch(`${url}${path}`, {
        method: operation === 'create' ? 'POST' : 'GET',
        headers: { 'bt-api-key': this.#key, 'bt-trace-id': requestId, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const { id } = (await response.json()) as { id: string };
      if (!response.ok) return undefined;
      this.acknowledged.push({ requestId, operation, tokenId: id });
      return id;
    } catch {
      // The kill interrupted the request. It may have taken effect, but it was not acknowledged.
      return undefined;
    }
  }
}

describe('acknowledged operations and records of the audit log', () => {
  it(`are one to one over ${killCount} kills of the server under load, and the log verifies`, async () => {
    let server = Program.start(['serve', '--json'], settings);
    await server.ready();
    const worker = Program.start(['work', '--json'], settings);
    await worker.ready();
    const load = new Load(await makeKey());
    for (let kill = 0; kill < killCount; kill += 1) {
      const before = load.acknowledged.length;
      await untilTrue(() => load.acknowledged.length > before + 100 + Math.random() * 200, {
        waitingFor: 'the load to get somewhere',
      });
      await server.stop('SIGKILL');
      server = Program.start(['serve', '--json'], settings);
      await server.ready();
    }
    await load.stop();

    const { rows } = await database.owner.query<{ request_id: string; operation: string; entity_id: string }>(
      `select request_id, operation, entity_id from audit_records where request_id like 'load-%' and outcome = 'success'`,
    );
    const records = Map.groupBy(rows, (row) => row.request_id);
    const doubled = [...records].filter(([, found]) => found.length > 1).map(([requestId]) => requestId);
    expect(doubled).toEqual([]);
    const wrong = load.acknowledged.filter(({ requestId, operation, tokenId }) => {
      const [record] = records.get(requestId) ?? [];
      return record?.operation !== operation || record.entity_id !== tokenId;
    });
    expect(wrong).toEqual([]);
    expect(load.acknowledged.length).toBeGreaterThan(killCount * 100);

    // A token exists if and only if the record of its creation exists, whether or not the creation was acknowledged.
    const { rows: apart } = await database.owner.query(
      `select t.id from tokens t full join (select entity_id from audit_records where operation = 'create' and entity_type = 'token' and outcome = 'success') r
        on r.entity_id = t.id where t.id is null or r.entity_id is null`,
    );
    expect(apart).toEqual([]);

    await untilTrue(
      async () => {
        const { rows: left } = await database.owner.query(
          'select 1 from audit_records, audit_sealing where sealing_order >= sealed_to limit 1',
        );
        return left.length === 0;
      },
      { waitingFor: 'everything to be sealed' },
    );
    const verdict = await withLog(readLogConfig(settings), (log) =>
      verifyDatabase(log, undefined, { onProgress: () => undefined }),
    );
    expect(verdict.findings).toEqual([]);
  }, 1_200_000);
});
