import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failureOf, shownOf } from '../../../../../test/harness/failure.ts';
import { TestAuthority, type TestCertificate } from '../../../../../test/harness/test-authority.ts';
import { headersOf } from '../../../../../test/harness/tls-destination.ts';
import { TransitEndpoint } from '../../../../../test/harness/key-services/transit-endpoint.ts';
import { context } from '../../../../../test/harness/key-services/wrap-contexts.ts';
import { Sensitive } from '../../../../core/identity/sensitive.ts';
import { KeyServiceError } from '../key-service.ts';
import { RootKeyMismatch, wrapContextBytes } from '../root-key.ts';
import type { TransitOptions } from './transit-client.ts';
import { TransitRootKey } from './transit-root-key.ts';

let authority: TestAuthority;
let certificate: TestCertificate;
let transit: TransitEndpoint;
let options: TransitOptions;
let rootKey: TransitRootKey;

beforeAll(async () => {
  authority = await TestAuthority.create();
  certificate = await authority.issue(['localhost']);
});
afterAll(() => authority.remove());
beforeEach(async () => {
  transit = await TransitEndpoint.start(certificate);
  options = transit.options(authority.certificate);
  rootKey = await TransitRootKey.open(options);
  return async () => {
    await rootKey.close();
    await transit.service.stop();
  };
});

describe('TransitRootKey', () => {
  it('keeps the ciphertext of Transit as its text', async () => {
    expect((await rootKey.wrap(randomBytes(32), context)).toString('utf8')).toMatch(/^vault:v1:[A-Za-z0-9+/]{80}$/);
  });

  it('sends token, namespace and the context as associated data', async () => {
    await rootKey.wrap(randomBytes(32), context);
    const { last } = transit.service.destination;
    expect(last.head).toContain('POST /v1/transit/encrypt/strongroom HTTP/1.1');
    expect(headersOf(last)).toMatchObject({
      'x-vault-token': [transit.token],
      'x-vault-namespace': [transit.namespace],
      'x-vault-request': ['true'],
    });
    expect(JSON.parse(last.body.toString('utf8'))).toMatchObject({
      associated_data: wrapContextBytes(context).toString('base64'),
    });
  });
});

describe('the id', () => {
  it('has the provider and 64 bits, and is another for another key', async () => {
    expect(rootKey.id).toMatch(/^transit:[0-9a-f]{16}$/);
    transit.replace('second');
    const second = await TransitRootKey.open({ ...options, key: 'second' });
    expect(second.id).not.toBe(rootKey.id);
    await second.close();
  });
});

describe('a key that was replaced behind its name', () => {
  it('wraps nothing and opens nothing', async () => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    transit.replace('strongroom');
    await expect(rootKey.wrap(randomBytes(32), context)).rejects.toThrow(`this server was started with ${rootKey.id}`);
    await expect(rootKey.unwrap(wrapped, context)).rejects.toThrow(RootKeyMismatch);
  });
});

describe('a key that is not there', () => {
  it('is not made by asking for it', async () => {
    const failure = await failureOf(TransitRootKey.open({ ...options, key: 'absent' }));
    expect(failure.message).toContain('Create the key, or correct its name.');
    expect(transit.keys.has('absent')).toBe(false);
  });

  it('is not made again by wrapping once it was deleted', async () => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    transit.keys.delete('strongroom');
    expect(await failureOf(rootKey.wrap(randomBytes(32), context))).toBeInstanceOf(KeyServiceError);
    expect(await failureOf(rootKey.unwrap(wrapped, context))).toBeInstanceOf(KeyServiceError);
    expect(transit.keys.has('strongroom')).toBe(false);
  });
});

describe('a server in trouble', () => {
  it.each<[string, RegExp, () => void]>([
    ['is sealed', /Unseal the server/, () => (transit.isSealed = true)],
    ['has another policy', /Renew or correct the token/, () => (transit.service.mood = says(403, 'permission denied'))],
    ['has lost the mount', /Correct the mount/, () => (transit.service.mood = says(404, 'no handler for route'))],
    [
      'counts requests',
      /rate limit/,
      () => (transit.service.mood = says(429, 'request path: rate limit quota exceeded')),
    ],
    ['has failed inside', /health of the server/, () => (transit.service.mood = says(500, 'internal error'))],
    [
      'wants a context',
      /aes256-gcm96/,
      () => (transit.service.mood = says(400, "missing 'context' for key derivation")),
    ],
    ['answers with a page', /health/, () => (transit.service.mood = () => ({ status: 502, body: '<html>' }))],
    ['answers without data', /lacks "/, () => (transit.service.mood = () => ({ status: 200, body: { data: null } }))],
    ['has put the key aside', /Restore/, () => (transit.service.mood = says(400, 'refusing to use soft-deleted key'))],
    ['hangs up', /cannot be reached/, () => (transit.service.mood = 'hangs-up')],
  ])('is told apart from a wrong key when it %s', async (_, advice, trouble) => {
    const key = randomBytes(32);
    const wrapped = await rootKey.wrap(key, context);
    trouble();
    for (const failure of [
      await failureOf(rootKey.unwrap(wrapped, context)),
      await failureOf(rootKey.wrap(key, context)),
    ]) {
      expect(failure).toBeInstanceOf(KeyServiceError);
      expect(failure.message).toMatch(advice);
      const shown = shownOf(failure);
      expect(shown).not.toContain(transit.token);
      expect(shown).not.toContain(key.toString('base64'));
    }
  });

  it('does not call a version damaged that its policy has retired', async () => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    transit.rotate('strongroom');
    const key = transit.keys.get('strongroom');
    if (key !== undefined) key.minDecryptionVersion = 2;
    const failure = await failureOf(rootKey.unwrap(wrapped, context));
    expect(failure).toBeInstanceOf(KeyServiceError);
    expect(failure.message).toContain('Set min_decryption_version');
    // The fingerprint needs the first version of the key too.
    expect((await failureOf(TransitRootKey.open(options))).message).toContain('Set min_decryption_version');
  });
});

describe('what is not opened', () => {
  it('a server that ignores associated data', async () => {
    transit.ignoresAssociatedData = true;
    const failure = await failureOf(TransitRootKey.open(options));
    expect(failure.message).toContain('does not bind a key to its context');
  });

  it.each<[string, RegExp, () => Partial<TransitOptions>]>([
    [
      'a wrong token',
      /Renew or correct the token/,
      () => ({ signIn: { kind: 'token', token: new Sensitive('hvs.wrong') } }),
    ],
    ['no token', /Renew or correct the token/, () => ({ signIn: { kind: 'agent' } })],
    ['no namespace', /Correct the mount or the namespace/, () => ({ namespace: undefined })],
    ['another mount', /Correct the mount or the namespace/, () => ({ mount: 'elsewhere' })],
    ['a server that nobody vouches for', /certificate/, () => ({ authority: undefined })],
  ])('%s', async (_, advice, changed) => {
    const failure = await failureOf(TransitRootKey.open({ ...options, ...changed() }));
    expect(failure).toBeInstanceOf(KeyServiceError);
    expect(failure.message).toMatch(advice);
  });
});

function says(status: number, reason: string) {
  return () => ({ status, body: { errors: [reason] } });
}
