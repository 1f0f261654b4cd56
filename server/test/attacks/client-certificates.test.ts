import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { Sensitive } from '../../src/core/identity/sensitive.ts';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file-root-key.ts';
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
