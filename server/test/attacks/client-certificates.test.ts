import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VaultWorker } from '../../src/app/serve/vault-worker.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { Sensitive } from '../../src/core/identity/sensitive.ts';
import { defaultThresholds } from '../../src/platform/audit/watch/alert-rule.ts';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { untilTrue } from '../harness/deadline.ts';
import { loopback } from '../harness/proxy-vault.ts';
import { createApplication } from '../harness/test-application.ts';
import { TestAuthority } from '../harness/test-authority.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { TestResolver } from '../harness/test-resolver.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { answerOk, TlsDestination } from '../harness/tls-destination.ts';

/**
 * A bank identifies its customer by a client certificate. If the certificate were presented for every tenant that calls
 * the bank, one tenant could move another tenant's money.
 */
const bank = 'bank.provider.example';
const otherBank = 'other-bank.provider.example';

let database: TestDatabase;
let before: TestVault;
let vault: TestVault;
let authority: TestAuthority;
let resolver: TestResolver;
let destination: TlsDestination;
let customer: TestTenant;
let second: TestTenant;
let stranger: TestTenant;
/** The callers that the destination saw, as identified by their certificates. */
const shown: string[] = [];

beforeAll(async () => {
  const rootKey = parseRootKey(generateRootKey()) ?? Buffer.alloc(32);
  [database, authority, resolver] = await Promise.all([
    createTestDatabase(),
    TestAuthority.create(),
    TestResolver.start(),
  ]);
  for (const host of [bank, otherBank]) resolver.set(host, ['127.0.0.1']);
  destination = await TlsDestination.start(
    {
      ...(await authority.issue([bank, otherBank])),
      requestCert: true,
      rejectUnauthorized: false,
      ca: authority.certificate,
    },
    (socket) => {
      shown.push(socket.authorized ? String(socket.getPeerCertificate().subject.CN) : 'nobody');
      answerOk(socket);
    },
  );
  // The settings name tenants that must exist first, so the vault is started twice.
  before = await TestVault.start(rootKey, { database });
  [customer, second, stranger] = [await before.makeTenant(), await before.makeTenant(), await before.makeTenant()];
  const certificate = async (tenant: TestTenant, name: string) => {
    const { cert, key } = await authority.issue([name], { purpose: 'clientAuth' });
    return { tenantId: parseTenantId(tenant.id), host: bank, pem: new Sensitive(cert + key) };
  };
  vault = await TestVault.start(rootKey, {
    database,
    outbound: {
      authorities: authority.certificate,
      privateRanges: [loopback],
      ports: [destination.port],
      resolvers: [resolver.address],
      clientCertificates: [await certificate(customer, 'customer'), await certificate(second, 'second customer')],
    },
  });
});
afterAll(async () => {
  await before.server.stop();
  await vault.stop();
  await Promise.all([destination.stop(), resolver.stop(), authority.remove()]);
});

function startWorker(): Promise<VaultWorker> {
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const config = {
    ...vault.config,
    audit: {
      retentionMonths: 13,
      anchorFile: undefined,
      anchorUrl: undefined,
      backupDays: undefined,
      archive: undefined,
      evidenceMonths: undefined,
      alerts: defaultThresholds,
    },
    logStreams: [],
    admin: { host: '127.0.0.1', port: 0 },
    mail: { publicUrl: undefined, smtp: undefined },
    traces: undefined,
    outbound: vault.outbound,
  };
  return VaultWorker.start(config, silent);
}

async function callerAt(key: string, host: string, headers: Record<string, string> = {}): Promise<string | undefined> {
  const url = `https://${host}:${destination.port}`;
  const answer = await vault.request('GET', '/proxy', { key, headers: { 'bt-proxy-url': url, ...headers } });
  expect(answer.status).toBe(200);
  return shown.at(-1);
}

describe('a client certificate', () => {
  it('is shown to the host that it is for, on calls of the tenant that it belongs to', async () => {
    expect(await callerAt(customer.keys.private, bank)).toBe('customer');
    expect(await callerAt(customer.keys.reveal, bank)).toBe('customer');
  });

  it('is not shown on calls of another tenant', async () => {
    expect(await callerAt(stranger.keys.private, bank)).toBe('nobody');
  });

  it('is not shown on calls of another tenant right after its own, nor at the same time', async () => {
    for (let round = 0; round < 3; round += 1) {
      expect(await callerAt(customer.keys.private, bank)).toBe('customer');
      expect(await callerAt(stranger.keys.private, bank)).toBe('nobody');
    }
    shown.length = 0;
    await Promise.all([customer, stranger, customer, stranger].map(({ keys }) => callerAt(keys.private, bank)));
    expect(shown.toSorted()).toEqual(['customer', 'customer', 'nobody', 'nobody']);
  });

  it('is not shown for another spelling of the host', async () => {
    expect(await callerAt(stranger.keys.private, bank.toUpperCase())).toBe('nobody');
    expect(await callerAt(customer.keys.private, bank.toUpperCase())).toBe('customer');
  });

  it('is not shown because a request names its tenant', async () => {
    const claims = { 'bt-tenant-id': customer.id, 'x-tenant-id': customer.id };
    expect(await callerAt(stranger.keys.private, bank, claims)).toBe('nobody');
  });

  it('is not shown on calls of a session or a new application of another tenant', async () => {
    const { key } = await createApplication(vault, stranger, { permissions: ['token:use'] });
    expect(await callerAt(key, bank)).toBe('nobody');
  });

  it('is not shown to another host', async () => {
    expect(await callerAt(customer.keys.private, otherBank)).toBe('nobody');
  });

  it('is shown on calls through a stored proxy of its tenant to that host, and through no other', async () => {
    const throughProxy = async ({ keys }: TestTenant, host: string) => {
      const body = { name: 'Issuer', destination_url: `https://${host}:${destination.port}/cards` };
      const made = await vault.request('POST', '/proxies', { key: keys.management, body });
      const { key } = made.body as { key: string };
      const headers = { 'bt-proxy-key': key };
      expect((await vault.request('GET', '/proxy', { key: keys.private, headers })).status).toBe(200);
      return shown.at(-1);
    };
    expect(await throughProxy(customer, bank)).toBe('customer');
    expect(await throughProxy(stranger, bank)).toBe('nobody');
    expect(await throughProxy(customer, otherBank)).toBe('nobody');
  });

  it('is not shown by a webhook, which whoever creates it may send anywhere at the host', async () => {
    const { management: key, private: creator } = customer.keys;
    const address = `https://${bank}:${destination.port}/payments/4711/refunds?amount=100`;
    const body = { name: 'Refunds', url: address, events: ['token.created'] };
    expect((await vault.request('POST', '/webhooks', { key, body })).status).toBe(201);
    shown.length = 0;
    const worker = await startWorker();
    try {
      await vault.request('POST', '/tokens', { key: creator, body: { type: 'token', data: 'any' } });
      await untilTrue(() => shown.length > 0, { waitingFor: 'an event at the bank' });
      expect(shown).toEqual(['nobody']);
    } finally {
      await worker.stop();
    }
  });

  it('is one of several for a host, each of its own tenant', async () => {
    expect(await callerAt(second.keys.private, bank)).toBe('second customer');
    expect(await callerAt(customer.keys.private, bank)).toBe('customer');
  });

  it('is named at the start with its tenant, and without anything secret', () => {
    const [line = ''] = vault.logLines.filter((text) => text.includes('CLIENT_CERTIFICATES'));
    expect(line).toContain(`${customer.id}@${bank},${second.id}@${bank}`);
    expect(line).not.toContain('PRIVATE');
  });
});
