import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { examine } from '../../src/app/doctor/examination.ts';
import { FileRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { type RootKey, RootKeyMismatch, type WrapContext } from '../../src/platform/keyring/kms/root-key.ts';
import { untilTrue } from '../harness/deadline.ts';
import { EventVault } from '../harness/event-vault.ts';
import type { TestTenant } from '../harness/test-vault.ts';

// The owner of a tenant controls the service that holds the root key of the tenant. It returns whatever harms the vault
// or its operator most. Nobody but the tenant may notice.

/** A root key whose service returns what its owner likes. */
class HostileRootKey implements RootKey {
  readonly #inner = new FileRootKey(randomBytes(32));
  mood: 'honest' | 'another-key' | 'mismatch' | 'disabled' = 'honest';
  calls = 0;

  get id(): string {
    return this.#inner.id;
  }

  wrap(key: Buffer, context: WrapContext): Promise<Buffer> {
    return this.#inner.wrap(key, context);
  }

  async unwrap(wrapped: Buffer, context: WrapContext): Promise<Buffer> {
    this.calls += 1;
    if (this.mood === 'another-key') return randomBytes(32);
    if (this.mood === 'mismatch') throw new RootKeyMismatch();
    if (this.mood === 'disabled') throw new Error('The key is disabled.');
    return this.#inner.unwrap(wrapped, context);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}

const rootKey = new HostileRootKey();
let events: EventVault;
let tenant: TestTenant;
let neighbour: TestTenant;
beforeAll(async () => {
  const keys = new Map([['acme', { kind: 'file', open: async () => rootKey }]]);
  events = await EventVault.start({ ownRootKeys: { keys, graceSeconds: 10 } });
  tenant = await events.vault.makeTenant('test', 'acme');
  neighbour = events.tenant;
  for (const { keys: own } of [tenant, neighbour]) {
    const body = { id: 'kept', type: 'token', data: 'kept' };
    expect((await events.vault.request('POST', '/tokens', { key: own.private, body })).status).toBe(201);
  }
});
beforeEach(() => {
  rootKey.mood = 'honest';
});
afterAll(() => events.stop());

const read = ({ keys }: TestTenant, url = events.vault.server.url) =>
  events.vault.request('GET', '/tokens/kept', { key: keys.reveal, url });
const scrape = async (adminUrl: string) => (await events.vault.request('GET', '/metrics', { url: adminUrl })).text;
const failuresIn = (text: string) =>
  /^strongroom_cache_reads_total\{cache="tenant-keys",outcome="failed"\} (\d+)$/m.exec(text)?.[1];

describe('a service that returns something else than it wrapped', () => {
  it.each(['another-key', 'mismatch'] as const)(
    '(%s) stops its tenant only, and is no failure of the vault',
    async (mood) => {
      rootKey.mood = mood;
      // A server that has not loaded the keys of the tenant yet.
      const { url, adminUrl } = await events.vault.startAnother();
      const before = failuresIn(await scrape(adminUrl));
      const callsBefore = rootKey.calls;
      for (let count = 0; count < 20; count += 1) {
        const { status, text } = await read(tenant, url);
        expect(status).toBe(503);
        expect(text).toContain('own root key cannot be used');
      }
      // There are three keys, and a pause of two seconds after a failure.
      expect(rootKey.calls - callsBefore).toBeLessThan(30);
      expect((await read(neighbour, url)).status).toBe(200);
      expect(before).toBeDefined();
      expect(failuresIn(await scrape(adminUrl))).toBe(before);
      const key = tenant.keys.management;
      const { body } = await events.vault.request('GET', '/tenants/self/encryption-keys', { key, url });
      expect(body).toMatchObject({ root_key: { outage: { reason: 'mismatch', readable_seconds: 0 } } });
    },
  );

  it('does not keep doctor from checking the other tenants', async () => {
    rootKey.mood = 'mismatch';
    const findings = await examine(events.vault.config);
    expect(findings.filter(({ name }) => name === 'tenant root keys')).toMatchObject([
      { isOk: true, isWarning: true, detail: expect.stringContaining('does not unwrap the') },
    ]);
  });
});

describe('a key that is disabled while a webhook has events', () => {
  it('fails no job and counts as a failing endpoint, until the key works and the events are delivered', async () => {
    await events.subscribe({ url: `${events.url}/acme` }, tenant.keys.management);
    const body = { type: 'token', data: 'before' };
    const created = () => events.vault.request('POST', '/tokens', { key: tenant.keys.private, body });
    expect((await created()).status).toBe(201);
    await untilTrue(() => events.receiver.at('/acme').length === 1, { waitingFor: 'the first event' });

    await events.stopWorker();
    expect((await created()).status).toBe(201);
    rootKey.mood = 'disabled';
    const endpoint = async () => {
      const { rows } = await events.vault.database.owner.query<{ id: string; failures: number; waits: boolean }>(
        `select w.id, p.failures, p.resume_at > now() as waits from webhooks w
          join webhook_positions p on p.webhook_id = w.id where w.tenant_id = $1`,
        [tenant.id],
      );
      return rows[0];
    };
    await events.startWorker();
    await events.passTime((await endpoint())?.id ?? '');
    await untilTrue(async () => (await endpoint())?.waits === true, { waitingFor: 'the endpoint to be suspended' });
    expect((await endpoint())?.failures).toBe(8);
    expect(events.workerLines.filter((line) => line.includes('job failed'))).toEqual([]);

    rootKey.mood = 'honest';
    // The worker does not ask the key again within two seconds of a failure.
    const delivered = async () => {
      await events.passTime((await endpoint())?.id ?? '');
      return events.receiver.at('/acme').length === 2;
    };
    await untilTrue(delivered, { waitingFor: 'the second event' });
    await untilTrue(async () => (await endpoint())?.failures === 0, { waitingFor: 'the endpoint to be healthy' });
  });
});
