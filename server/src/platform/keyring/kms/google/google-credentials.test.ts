import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { untilPasses } from '../../../../../test/harness/deadline.ts';
import { failureOf } from '../../../../../test/harness/failure.ts';
import { GoogleKmsEndpoint } from '../../../../../test/harness/key-services/google-kms-endpoint.ts';
import { context } from '../../../../../test/harness/key-services/wrap-contexts.ts';
import { headersOf } from '../../../../../test/harness/tls-destination.ts';

let kms: GoogleKmsEndpoint;
let metadata: Server;
const asked: string[] = [];

beforeAll(async () => {
  kms = await GoogleKmsEndpoint.start();
  metadata = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('metadata-flavor', 'Google');
    const isToken = request.url?.includes('/service-accounts/default/token') === true;
    const token = { access_token: 'of-the-machine', expires_in: 3_599, token_type: 'Bearer' };
    response.setHeader('content-type', isToken ? 'application/json' : 'text/plain');
    response.end(isToken ? JSON.stringify(token) : 'googleapis.com');
  });
  metadata.listen(0, '127.0.0.1');
  await once(metadata, 'listening');
});
afterAll(async () => {
  metadata.close();
  await kms.stop();
});
beforeEach(() => {
  kms.recover();
  kms.accessTokens.clear();
  return () => vi.unstubAllEnvs();
});

describe('a root key in Google Cloud KMS', () => {
  it('is used with the identity of the machine, as in GKE with workload identity', async () => {
    const { port } = metadata.address() as AddressInfo;
    vi.stubEnv('GCE_METADATA_HOST', `127.0.0.1:${port}`);
    vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present');
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined);
    vi.stubEnv('HOME', '/nonexistent');
    // On a busy machine, the first connections take longer than a call may.
    await untilPasses(async () =>
      expect(await failureOf(kms.open({ credentials: undefined }))).toMatchObject({ trouble: 'denied' }),
    );
    kms.accessTokens.add('of-the-machine');
    const rootKey = await untilPasses(() => kms.open({ credentials: undefined }));
    await rootKey.close();
    expect(headersOf(kms.cloud.service.destination.last)['authorization']).toEqual(['Bearer of-the-machine']);
    // The SDK would ask for the project after it has started gcloud.
    expect(asked.filter((path) => path.includes('project-id'))).toEqual([]);
  });

  it('binds the key to its context by additional authenticated data', async () => {
    const rootKey = await kms.open();
    await rootKey.wrap(Buffer.alloc(32, 1), context);
    const input = JSON.parse(kms.cloud.service.destination.last.body.toString('utf8')) as Record<string, string>;
    expect(Buffer.from(input['additionalAuthenticatedData'] ?? '', 'base64').toString('latin1')).toContain(
      context.tenant,
    );
    await rootKey.close();
  });

  it('ends a response that never ends', async () => {
    const rootKey = await kms.open();
    const wrapped = await rootKey.wrap(Buffer.alloc(32, 1), context);
    kms.cloud.service.mood = 'never-ends';
    expect(await failureOf(rootKey.unwrap(wrapped, context))).toMatchObject({ trouble: 'unreachable' });
    await rootKey.close();
  });
});
