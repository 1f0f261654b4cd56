import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf, shownOf } from '../../../../../test/harness/failure.ts';
import { AzureKeyVaultEndpoint } from '../../../../../test/harness/key-services/azure-key-vault-endpoint.ts';
import { Sensitive } from '../../../../core/identity/sensitive.ts';

let vault: AzureKeyVaultEndpoint;
let metadata: Server;
let folder: string;

beforeAll(async () => {
  vault = await AzureKeyVaultEndpoint.start();
  metadata = createServer((request, response) => {
    const isAsked = request.headers['metadata'] === 'true' && request.url?.includes('vault.azure.net') === true;
    response.writeHead(isAsked ? 200 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isAsked ? vault.identity.managedToken() : { error: 'invalid_request' }));
  });
  metadata.listen(0, '127.0.0.1');
  await once(metadata, 'listening');
  folder = await mkdtemp(path.join(tmpdir(), 'strongroom-azure-'));
});
afterAll(async () => {
  metadata.close();
  await vault.stop();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  vault.recover();
  vault.identity.seen.length = 0;
  for (const name of Object.keys(process.env)) if (name.startsWith('AZURE_')) vi.stubEnv(name, undefined);
  return () => vi.unstubAllEnvs();
});

const openWithout = async () => (await vault.open({ application: undefined })).close();

describe('the vault signs in to Azure', () => {
  it('with the client secret that the operator gives to this vault alone', async () => {
    vi.stubEnv('AZURE_CLIENT_SECRET', 'of another program');
    await (await vault.open()).close();
    expect(new Set(vault.identity.seen)).toEqual(new Set(['client secret']));
  });

  it('by workload identity, as in AKS', async () => {
    const file = path.join(folder, 'token');
    await writeFile(file, vault.identity.federatedToken);
    vi.stubEnv('AZURE_FEDERATED_TOKEN_FILE', file);
    vi.stubEnv('AZURE_CLIENT_ID', vault.identity.clientId);
    vi.stubEnv('AZURE_TENANT_ID', vault.identity.tenantId);
    await openWithout();
    expect(new Set(vault.identity.seen)).toEqual(new Set(['workload identity']));
  });

  it('by the managed identity of the machine', async () => {
    vi.stubEnv('AZURE_POD_IDENTITY_AUTHORITY_HOST', `http://127.0.0.1:${(metadata.address() as AddressInfo).port}`);
    await openWithout();
    expect(new Set(vault.identity.seen)).toEqual(new Set(['managed identity']));
  });

  it('and opens nothing with a wrong secret, without repeating it', async () => {
    const { tenantId, clientId } = vault.identity;
    const application = { tenantId, clientId, clientSecret: new Sensitive('not the secret') };
    const failure = await failureOf(vault.open({ application }));
    expect(failure).toMatchObject({ trouble: 'denied' });
    expect(shownOf(failure)).not.toContain('not the secret');
  });
});

describe('a root key in Azure Key Vault', () => {
  it('is not fooled by somebody who knows the public key', async () => {
    const rootKey = await vault.open();
    const other = await vault.openOther();
    const context = { tenant: 'a', purpose: 'data', version: 1 };
    const [wrapped, forged] = [
      await rootKey.wrap(Buffer.alloc(32, 1), context),
      await other.wrap(Buffer.alloc(32, 2), context),
    ];
    // The header and ciphertext of one, with the signature of the other.
    const half = (wrapped.length - 17) / 2 + 17;
    for (const mixed of [
      Buffer.concat([wrapped.subarray(0, half), forged.subarray(half)]),
      Buffer.concat([wrapped.subarray(0, 17), forged.subarray(17, half), wrapped.subarray(half)]),
    ]) {
      vault.cloud.service.destination.seen.length = 0;
      await expect(rootKey.unwrap(mixed, context)).rejects.toThrow('could not be unwrapped');
      expect(vault.cloud.service.destination.seen).toEqual([]);
    }
    await Promise.all([rootKey.close(), other.close()]);
  });

  it('ends a response that never ends', async () => {
    const rootKey = await vault.open();
    const wrapped = await rootKey.wrap(Buffer.alloc(32, 1), { tenant: 'a', purpose: 'data', version: 1 });
    vault.cloud.service.mood = 'never-ends';
    const failure = await failureOf(rootKey.unwrap(wrapped, { tenant: 'a', purpose: 'data', version: 1 }));
    expect(failure).toMatchObject({ trouble: 'unreachable' });
    await rootKey.close();
  });
});
