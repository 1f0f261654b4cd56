import { randomBytes } from 'node:crypto';
import { createSecureContext, getCACertificates, rootCertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failureOf, shownOf } from '../../../../../test/harness/failure.ts';
import { AwsKmsEndpoint } from '../../../../../test/harness/key-services/aws-kms-endpoint.ts';
import { context } from '../../../../../test/harness/key-services/wrap-contexts.ts';
import { headersOf } from '../../../../../test/harness/tls-destination.ts';
import { Sensitive } from '../../../../core/identity/sensitive.ts';
import { KeyServiceError } from '../key-service.ts';
import type { AwsAccessKey } from './aws-kms-client.ts';
import type { AwsKmsRootKey } from './aws-kms-root-key.ts';

// What is particular to AWS KMS. What it has in common with other key services is in key-service-contract.test.ts.

const temporary = {
  accessKeyId: 'ASIAEXAMPLEEXAMPLE',
  secretAccessKey: 'short lived',
  sessionToken: 'a session token',
};
let kms: AwsKmsEndpoint;
let rootKey: AwsKmsRootKey;

beforeAll(async () => {
  kms = await AwsKmsEndpoint.start();
  kms.credentials.push(temporary);
  rootKey = await kms.open();
});
afterAll(async () => {
  await rootKey.close();
  await kms.stop();
});
beforeEach(() => kms.recover());

describe('AwsKmsRootKey', () => {
  it('binds the key to its context by the encryption context', async () => {
    await rootKey.wrap(randomBytes(32), { ...context, version: 7 });
    expect(kms.lastInput).toMatchObject({
      KeyId: kms.keyArn,
      EncryptionContext: { tenant: context.tenant, purpose: 'data', version: '7' },
    });
  });

  it('signs with a session token where there is one', async () => {
    const accessKey = {
      accessKeyId: temporary.accessKeyId,
      secretAccessKey: new Sensitive(temporary.secretAccessKey),
      sessionToken: new Sensitive(temporary.sessionToken),
    };
    const opened = await kms.open({ accessKey });
    expect(headersOf(kms.service.destination.last)['x-amz-security-token']).toEqual([temporary.sessionToken]);
    await opened.close();
  });
});

describe('a new connection', () => {
  it('costs less than loading the certificate authorities, which would stop the event loop', async () => {
    // A long list, so that its cost is far from that of a handshake.
    const authority = [kms.authority, ...rootCertificates, ...rootCertificates, ...rootCertificates].join('\n');
    const opened = await kms.open({ authority });
    const ca = [...getCACertificates('default'), authority];
    const loading = await leastProcessorMs(async () => void createSecureContext({ ca }));
    const connecting = await leastProcessorMs(async () => {
      kms.service.dropConnections();
      await opened.wrap(randomBytes(32), context);
    });
    await opened.close();
    expect(connecting).toBeLessThan(loading);
  });

  /** Returns the processor time of a run, the least of a few, because other work of this process counts too. */
  async function leastProcessorMs(run: () => Promise<void>): Promise<number> {
    const times: number[] = [];
    for (let count = 0; count < 7; count += 1) {
      const before = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1_000);
    }
    return Math.min(...times);
  }
});

describe('the id', () => {
  it('names the key behind every spelling of it, without account and region', async () => {
    const keyId = kms.keyArn.split('/')[1] ?? '';
    for (const key of ['alias/strongroom', kms.keyArn, keyId]) {
      const opened = await kms.open({ key });
      expect(opened.id).toBe(`aws-kms:${keyId}`);
      await opened.close();
    }
  });

  it('stays with its key when the alias is pointed elsewhere', async () => {
    kms.aliases.set('alias/moved', kms.keyArn);
    const opened = await kms.open({ key: 'alias/moved' });
    kms.aliases.set('alias/moved', kms.otherArn);
    const wrapped = await opened.wrap(randomBytes(32), context);
    expect(await rootKey.unwrap(wrapped, context)).toHaveLength(32);
    await opened.close();
  });
});

describe('a service in trouble', () => {
  const refusals: [string, number, RegExp][] = [
    ['AccessDeniedException', 400, /Allow kms:Encrypt and kms:Decrypt/],
    ['ThrottlingException', 400, /This is temporary/],
    ['DisabledException', 400, /Enable the key/],
    ['KMSInvalidStateException', 400, /Cancel the deletion/],
    ['NotFoundException', 400, /correct the key or the region/],
    ['ExpiredTokenException', 400, /Correct the credentials/],
    ['KMSInternalException', 500, /status of AWS KMS/],
    ['DependencyTimeoutException', 503, /status of AWS KMS/],
    ['com.amazonaws.kms#AccessDeniedException', 400, /\(AccessDeniedException\)/],
  ];

  it.each(refusals)('is told apart from a wrong key: %s', async (type, status, advice) => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    kms.refusal = { status, type };
    for (const failure of [
      await failureOf(rootKey.unwrap(wrapped, context)),
      await failureOf(rootKey.wrap(randomBytes(32), context)),
    ]) {
      expect(failure).toBeInstanceOf(KeyServiceError);
      expect(failure.message).toMatch(advice);
    }
  });

  const answers: [string, { status: number; body: unknown }][] = [
    ['a page of a proxy', { status: 502, body: '<html>Bad gateway</html>' }],
    ['nothing', { status: 200, body: '' }],
    ['no object', { status: 200, body: 'null' }],
    ['another shape', { status: 200, body: { Plaintext: 7, CiphertextBlob: {}, KeyId: [] } }],
    ['a key that is too short', { status: 200, body: { Plaintext: 'AAAA', KeyId: 'x' } }],
    ['a redirect', { status: 301, body: '' }],
  ];
  it.each(answers)('is told apart from a wrong key: %s', async (_, answer) => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    kms.service.mood = () => answer;
    expect(await failureOf(rootKey.unwrap(wrapped, context))).toBeInstanceOf(KeyServiceError);
    expect(await failureOf(rootKey.wrap(randomBytes(32), context))).toBeInstanceOf(KeyServiceError);
  });

  it('is told apart from a wrong key when it hangs up, and serves again afterwards', async () => {
    const key = randomBytes(32);
    const wrapped = await rootKey.wrap(key, context);
    kms.service.mood = 'hangs-up';
    const failure = await failureOf(rootKey.unwrap(wrapped, context));
    expect(failure).toBeInstanceOf(KeyServiceError);
    expect(failure.message).toContain('cannot be reached');
    kms.service.mood = undefined;
    expect(await rootKey.unwrap(wrapped, context)).toEqual(key);
  });

  it('is told apart from a wrong key when it never ends, before that fills the memory', async () => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    const sockets = [...kms.service.destination.sockets];
    kms.service.mood = 'never-ends';
    expect(await failureOf(rootKey.unwrap(wrapped, context))).toMatchObject({ trouble: 'unreachable' });
    // Some of it is in the buffers of both ends.
    expect(Math.max(...sockets.map(({ bytesWritten }) => bytesWritten))).toBeLessThan(32 * 1024 * 1024);
  });

  it.each([
    ['the secret is wrong', (own: AwsAccessKey) => ({ ...own, secretAccessKey: new Sensitive('another secret') })],
    ['nobody knows the access key', (own: AwsAccessKey) => ({ ...own, accessKeyId: 'AKIANOBODYNOBODY' })],
  ])('opens nothing when %s', async (_, change) => {
    const accessKey = change(kms.options.accessKey);
    const failure = await failureOf(kms.open({ accessKey }));
    expect(failure.message).toContain('Correct the credentials');
    expect(shownOf(failure)).not.toContain(accessKey.secretAccessKey.reveal());
  });

  it('shows neither keys nor credentials nor what the service repeats of them', async () => {
    const key = randomBytes(32);
    kms.refusal = { status: 400, type: 'AccessDeniedException' };
    const refused = shownOf(await failureOf(rootKey.wrap(key, context)));
    kms.service.mood = 'hangs-up';
    const lost = shownOf(await failureOf(rootKey.wrap(key, context)));
    for (const secret of [key.toString('base64'), ...kms.secrets]) {
      expect(refused).not.toContain(secret);
      expect(lost).not.toContain(secret);
    }
  });
});
