import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AwsKmsEndpoint } from '../../../../test/harness/aws-kms-endpoint.ts';
import { failureOf, shownOf } from '../../../../test/harness/failure.ts';
import { TestAuthority } from '../../../../test/harness/test-authority.ts';
import { headersOf } from '../../../../test/harness/tls-destination.ts';
import { context, otherContexts } from '../../../../test/harness/wrap-contexts.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { AwsKmsOptions } from './aws-kms-client.ts';
import { AwsKmsRootKey } from './aws-kms-root-key.ts';
import { toCredentialSource } from './aws-credentials.ts';
import { KeyServiceError } from './key-service.ts';
import { RootKeyMismatch } from './root-key.ts';

const own = { accessKeyId: 'AKIAEXAMPLEEXAMPLE', secretAccessKey: randomBytes(30).toString('base64') };
const temporary = {
  accessKeyId: 'ASIAEXAMPLEEXAMPLE',
  secretAccessKey: 'short lived',
  sessionToken: 'a session token',
};
const ownCredentials = {
  kind: 'static',
  accessKeyId: own.accessKeyId,
  secretAccessKey: new Sensitive(own.secretAccessKey),
} as const;

let authority: TestAuthority;
let kms: AwsKmsEndpoint;
let options: AwsKmsOptions;
let rootKey: AwsKmsRootKey;

beforeAll(async () => {
  authority = await TestAuthority.create();
  kms = await AwsKmsEndpoint.start(await authority.issue(['localhost']));
  kms.credentials.push(own, temporary);
  options = {
    key: 'alias/strongroom',
    region: 'eu-central-1',
    endpoint: kms.service.url,
    authority: authority.certificate,
    credentials: ownCredentials,
  };
  rootKey = await AwsKmsRootKey.open(options);
});
afterAll(async () => {
  await rootKey.close();
  await kms.service.stop();
  await authority.remove();
});
beforeEach(() => {
  kms.refusal = undefined;
  kms.service.mood = undefined;
});

describe('AwsKmsRootKey', () => {
  it('gives back the key that was wrapped, after a restart too', async () => {
    const key = randomBytes(32);
    const wrapped = await rootKey.wrap(key, context);
    expect(await rootKey.unwrap(wrapped, context)).toEqual(key);
    const again = await AwsKmsRootKey.open(options);
    expect(await again.unwrap(wrapped, context)).toEqual(key);
    await again.close();
  });

  it('binds the key to its context by the encryption context', async () => {
    await rootKey.wrap(randomBytes(32), { ...context, version: 7 });
    expect(kms.lastInput).toMatchObject({
      KeyId: kms.keyArn,
      EncryptionContext: { tenant: context.tenant, purpose: 'data', version: '7' },
    });
  });

  it.each(otherContexts)('refuses a wrapped key of another %s', async (_, other) => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    await expect(rootKey.unwrap(wrapped, other)).rejects.toThrow(RootKeyMismatch);
  });

  it('refuses what another key of KMS wrapped', async () => {
    const other = await AwsKmsRootKey.open({ ...options, key: kms.otherArn });
    const wrapped = await other.wrap(randomBytes(32), context);
    await expect(rootKey.unwrap(wrapped, context)).rejects.toThrow(RootKeyMismatch);
    await other.close();
  });

  it('refuses a wrapped key with any byte changed, and any that is shorter or longer', async () => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    const damaged: Buffer[] = Array.from(wrapped, (byte, place) =>
      Buffer.from(wrapped).fill(byte ^ 1, place, place + 1),
    );
    for (const length of [0, 1, 50, wrapped.length - 1]) damaged.push(wrapped.subarray(0, length));
    damaged.push(Buffer.concat([wrapped, Buffer.alloc(1)]), Buffer.alloc(7_000, 1));
    // The calls run one at a time. If a hundred calls ran concurrently, the last one would exceed its time limit on a
    // busy machine.
    for (const bytes of damaged) {
      expect(await failureOf(rootKey.unwrap(bytes, context))).toBeInstanceOf(RootKeyMismatch);
    }
  });

  it.each([0, 16, 31, 33])('wraps no key of %i bytes, which it could not unwrap', async (length) => {
    await expect(rootKey.wrap(Buffer.alloc(length), context)).rejects.toThrow(TypeError);
  });

  it('signs with a session token where there is one', async () => {
    const credentials = {
      kind: 'static',
      accessKeyId: temporary.accessKeyId,
      secretAccessKey: new Sensitive(temporary.secretAccessKey),
      sessionToken: new Sensitive(temporary.sessionToken),
    } as const;
    const opened = await AwsKmsRootKey.open({ ...options, credentials });
    expect(headersOf(kms.service.destination.last)['x-amz-security-token']).toEqual([temporary.sessionToken]);
    await opened.close();
  });
});

describe('the id', () => {
  it('names the key behind every spelling of it, without account and region', async () => {
    const keyId = kms.keyArn.split('/')[1] ?? '';
    for (const key of ['alias/strongroom', kms.keyArn, keyId]) {
      const opened = await AwsKmsRootKey.open({ ...options, key });
      expect(opened.id).toBe(`aws-kms:${keyId}`);
      await opened.close();
    }
  });

  it('stays with its key when the alias is pointed elsewhere', async () => {
    kms.aliases.set('alias/moved', kms.keyArn);
    const opened = await AwsKmsRootKey.open({ ...options, key: 'alias/moved' });
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

  it.each([
    ['the secret is wrong', { ...ownCredentials, secretAccessKey: new Sensitive('another secret') }],
    ['nobody knows the access key', { ...ownCredentials, accessKeyId: 'AKIANOBODYNOBODY' }],
  ])('opens nothing when %s', async (_, credentials) => {
    const failure = await failureOf(AwsKmsRootKey.open({ ...options, credentials }));
    expect(failure.message).toContain('Correct the credentials');
    expect(shownOf(failure)).not.toContain(credentials.secretAccessKey.reveal());
  });

  it('shows neither keys nor credentials nor what the service repeats of them', async () => {
    const key = randomBytes(32);
    kms.refusal = { status: 400, type: 'AccessDeniedException' };
    const refused = shownOf(await failureOf(rootKey.wrap(key, context)));
    kms.service.mood = 'hangs-up';
    const lost = shownOf(await failureOf(rootKey.wrap(key, context)));
    for (const secret of [key.toString('base64'), own.secretAccessKey, 'AWS4-HMAC', 'session token']) {
      expect(refused).not.toContain(secret);
      expect(lost).not.toContain(secret);
    }
  });
});

describe('the role of a container', () => {
  const tokenFile = path.join(tmpdir(), `strongroom-container-token-${process.pid}`);
  let beside: Server;
  let calls: (string | undefined)[];
  let answer: (() => object) | undefined;
  let nowMs: number;
  beforeAll(async () => {
    beside = createServer((request, response) => {
      calls.push(request.headers.authorization);
      response.writeHead(answer === undefined ? 500 : 200).end(JSON.stringify(answer?.() ?? {}));
    });
    await new Promise<void>((resolve) => beside.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    beside.close();
    await rm(tokenFile, { force: true });
  });
  beforeEach(() => {
    nowMs = Date.now();
    calls = [];
    answer = () => ({
      AccessKeyId: temporary.accessKeyId,
      SecretAccessKey: temporary.secretAccessKey,
      Token: temporary.sessionToken,
      Expiration: new Date(nowMs + 3_600_000).toISOString(),
    });
  });
  const config = () =>
    ({ kind: 'container', url: `http://127.0.0.1:${(beside.address() as AddressInfo).port}/v1/credentials` }) as const;

  it('signs with what the endpoint hands out, with the token that the file has now', async () => {
    await writeFile(tokenFile, 'first\n');
    const opened = await AwsKmsRootKey.open({ ...options, credentials: { ...config(), tokenFile } });
    expect(calls).toEqual(['first']);
    await opened.close();
  });

  it('asks once for many and again shortly before the end', async () => {
    const source = toCredentialSource(config(), () => nowMs);
    await Promise.all(Array.from({ length: 50 }, () => source.current()));
    nowMs += 55 * 60_000;
    await source.current();
    expect(calls).toHaveLength(1);
    nowMs += 2 * 60_000;
    await source.current();
    expect(calls).toHaveLength(2);
    source.close();
  });

  it('goes on with what it has while the endpoint is away, until that ends', async () => {
    const source = toCredentialSource(config(), () => nowMs);
    const first = await source.current();
    answer = undefined;
    nowMs += 59 * 60_000;
    expect(await source.current()).toBe(first);
    nowMs += 60_000;
    expect((await failureOf(source.current())).message).toContain('Give the container a role');
    source.close();
  });
});
