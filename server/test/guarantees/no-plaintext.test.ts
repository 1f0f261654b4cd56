import { execFile } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { generateApiKey, parseApiKey } from '../../src/platform/keyring/sign-in/api-key.ts';
import { type Canary, CanaryScanner } from '../harness/canary-scanner.ts';
import { makeCardNumber } from '../harness/card-number.ts';
import { destinationHost, loopback } from '../harness/proxy-vault.ts';
import { createApplication } from '../harness/test-application.ts';
import { TestAuthority } from '../harness/test-authority.ts';
import { TestResolver } from '../harness/test-resolver.ts';
import { type TestResponse, type TestRequest, type TestTenant, TestVault } from '../harness/test-vault.ts';
import { TlsDestination } from '../harness/tls-destination.ts';

/** A value that may be found because metadata is not secret. It shows that the scanner works. */
const planted = text();
const secrets: Canary[] = [];
const answers: TestResponse[] = [];
const slot = `canary_${randomBytes(6).toString('hex')}`;
let vault: TestVault;
let authority: TestAuthority;
let resolver: TestResolver;
let destination: TlsDestination;
let tenant: TestTenant;

beforeAll(async () => {
  authority = await TestAuthority.create();
  resolver = await TestResolver.start();
  resolver.set(destinationHost, ['127.0.0.1']);
  destination = await TlsDestination.start(await authority.issue([destinationHost]));
  vault = await TestVault.start(secretBytes('root key'), {
    outbound: {
      authorities: authority.certificate,
      privateRanges: [loopback],
      ports: [destination.port],
      resolvers: [resolver.address],
    },
  });
  // The replication slot retains the write-ahead log from here on, no matter how many checkpoints other tests cause.
  await vault.database.owner.query('select pg_create_physical_replication_slot($1, true)', [slot]);
  tenant = await vault.makeTenant();
  for (const [name, key] of Object.entries(tenant.keys)) addKey(name, key);
  await useTheVault();
  await makeItFail();
  await vault.database.owner.query('select pg_switch_wal()');
  await vault.database.owner.query('checkpoint');
});
afterAll(async () => {
  await vault.database.owner.query('select pg_drop_replication_slot($1)', [slot]);
  await vault.stop();
  await Promise.all([destination.stop(), resolver.stop(), authority.remove()]);
});

describe('no secret is written down', () => {
  it('in a dump of the database', async () => {
    const dump = await dumpDatabase();
    expect(new CanaryScanner(secrets).scan(dump)).toEqual([]);
    expect(new CanaryScanner([{ name: 'planted', bytes: Buffer.from(planted) }]).scan(dump)).toContain(
      'planted as it is',
    );
  });

  it('in any file of PostgreSQL, the write-ahead log included', async () => {
    const directory = inject('postgresDataDirectory');
    const scanner = new CanaryScanner([...secrets, { name: 'planted', bytes: Buffer.from(planted) }]);
    const { files, found } = await scanner.scanDirectory(directory);
    expect(files).toBeGreaterThan(100);
    expect(found.filter((sighting) => !sighting.includes(': planted'))).toEqual([]);
    for (const place of ['base/', 'pg_wal/']) {
      expect(found).toContainEqual(expect.stringMatching(new RegExp(`^${place}.*: planted as it is$`)));
    }
  });

  it('in the log, the metrics or the description of the API', async () => {
    const openApi = await vault.request('GET', '/openapi.json');
    const admin = await Promise.all(
      ['/metrics', '/readyz?verbose'].map((url) => vault.request('GET', url, { url: vault.server.adminUrl })),
    );
    expect(vault.logLines.filter((line) => line.includes('request failed')).length).toBeGreaterThan(0);
    const written = [...vault.logLines, ...[openApi, ...admin].map(({ text }) => text)].join('\n');
    expect(new CanaryScanner(secrets).scan(Buffer.from(written))).toEqual([]);
  });

  it('in an answer that refuses something', () => {
    const refusals = answers.filter(({ status }) => status >= 400);
    const statuses = new Set(refusals.map(({ status }) => status));
    expect(statuses).toEqual(new Set([400, 401, 403, 404, 409, 413, 415, 500]));
    const written = refusals.map(({ text, headers }) => `${JSON.stringify([...headers])}\n${text}`).join('\n');
    expect(new CanaryScanner(secrets).scan(Buffer.from(written))).toEqual([]);
  });
});

describe('CanaryScanner', () => {
  const bytes = randomBytes(32);
  const scanner = new CanaryScanner([{ name: 'it', bytes }]);

  it.each([
    ['as it is', bytes],
    ['as hex', Buffer.from(`\\x${bytes.toString('hex')}`)],
    ['as upper-case hex', Buffer.from(bytes.toString('hex').toUpperCase())],
    ['as utf-16le', Buffer.from(bytes.toString('latin1'), 'utf16le')],
    ['as utf-16be', Buffer.from(bytes.toString('latin1'), 'utf16le').swap16()],
    ['as base64 at 0', Buffer.from(bytes.toString('base64'))],
    ['as base64 at 1', Buffer.from(Buffer.concat([randomBytes(1), bytes, randomBytes(7)]).toString('base64'))],
    ['as base64url at 2', Buffer.from(Buffer.concat([randomBytes(5), bytes, randomBytes(1)]).toString('base64url'))],
  ])('finds a canary %s at any place', (form, written) => {
    for (let before = 100; before < 150; before += 1) {
      const noise = Buffer.concat([randomBytes(before), written, randomBytes(before)]);
      expect(scanner.scan(noise)).toContain(`it ${form}`);
    }
    expect(scanner.scan(randomBytes(1_000_000))).toEqual([]);
  });

  it('finds a canary that lies across two chunks of a file', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-canary-'));
    const noise = randomBytes(9 * 1024 * 1024);
    bytes.copy(noise, 8 * 1024 * 1024 - 11);
    await writeFile(path.join(directory, 'noise'), noise);
    expect(await scanner.scanDirectory(directory)).toEqual({ files: 1, found: ['noise: it as it is'] });
    await rm(directory, { recursive: true });
  });
});

/** Makes requests that succeed: each value is stored and read in every way, and some are deleted. */
async function useTheVault(): Promise<void> {
  const { reveal } = tenant.keys;
  const values = [
    `"${secret('data')}"`,
    `{"${secret('member name')}": ["${secret('nested data')}", {"deep": "${secret('deeply nested data')}"}]}`,
    digits('number'),
  ];
  for (const data of values) {
    const rawBody = `{"type":"token","data":${data},"metadata":{"planted":"${planted}"}}`;
    const headers = { 'bt-idempotency-key': secret('idempotency key') };
    const created = await send('POST', '/tokens', { key: reveal, rawBody, headers });
    expect(created.status).toBe(201);
    expect((await send('POST', '/tokens', { key: reveal, rawBody, headers })).text).toBe(created.text);
    const { id } = created.body as { id: string };
    await send('GET', `/tokens/${id}`, { key: reveal });
    await send('GET', `/tokens/${id}`, { key: tenant.keys.private });
    await send('GET', `/tokens/${id}`, { key: tenant.keys.public });
  }
  const gone = await send('POST', '/tokens', { key: reveal, body: { type: 'token', data: secret('deleted data') } });
  const path = `/tokens/${(gone.body as { id: string }).id}`;
  const changed = { data: secret('changed data') };
  await send('PATCH', path, {
    key: reveal,
    body: changed,
    headers: { 'content-type': 'application/merge-patch+json' },
  });
  expect((await send('GET', path, { key: reveal })).body).toMatchObject(changed);
  await send('DELETE', path, { key: reveal });
  await useCards();
  await useTheProxy();

  const application = await createApplication(vault, tenant);
  addKey('new application', application.key);
  const key = await send('POST', `/applications/${application.id}/keys`, {
    key: tenant.keys.management,
    headers: { 'bt-idempotency-key': secret('idempotency key of a new key') },
  });
  addKey('second', (key.body as { key: string }).key);
  await send('DELETE', `/applications/${application.id}`, { key: tenant.keys.management });
}

/** Puts plaintext in every part of a proxy call, including invalid parts. */
async function useTheProxy(): Promise<void> {
  const { reveal: key } = tenant.keys;
  const value = secret('sent');
  const { id } = (await send('POST', '/tokens', { key, body: { type: 'token', data: value } })).body as { id: string };
  const url = `https://${destinationHost}:${destination.port}/${secret('path of a call')}`;
  const call = (path: string, rawBody: string, headers: Record<string, string>) =>
    send('POST', `/proxy${path}`, { key, rawBody, headers: { 'bt-proxy-url': url, ...headers } });
  const sent = await call(`/{{${id}}}?q={{${id}}}`, `{"a":"{{ ${id} }}","b":"${secret('body of a call')}"}`, {
    authorization: `Bearer ${secret('header of a call')} {{ ${id} }}`,
  });
  expect(sent.status).toBe(200);
  expect(destination.last.head.split(value)).toHaveLength(4);
  expect(destination.last.body.toString()).toContain(value);

  await call('', `{"a":"{{ ${id} | ${secret('filter of a call')} }}"}`, {});
  await call('', `{"${secret('unfinished call')}":"{{ ${id} }}"`, {});
  await call('', '{}', { 'bt-proxy-url': `https://user:${secret('userinfo')}@${destinationHost}/` });
  await call('', '{}', { 'bt-proxy-url': `https://localhost/${secret('path of a refused call')}` });
  await call('', '{}', { 'bt-proxy-connection': secret('connection') });
  await call(`/../${secret('a step')}`, '{}', { 'x-value': `{{ ${secret('header expression')}` });
}

/** Uses features that derive something from a value: masks, fingerprints, search indexes and expressions in ids. */
async function useCards(): Promise<void> {
  const { reveal } = tenant.keys;
  const number = cardNumber('card number');
  const card = { type: 'card', data: { number, expiration_month: 12, expiration_year: 2050, cvc: '123' } };
  const indexed = { search_indexes: ['{{ data.number }}'], fingerprint_expression: '{{ data.number }}' };
  const token = await send('POST', '/tokens', { key: reveal, body: { ...card, ...indexed } });
  expect(token.status).toBe(201);
  expect((await send('POST', '/tokens', { key: reveal, body: { ...card, deduplicate_token: true } })).status).toBe(200);
  const alias = { id: '{{ data | alias_preserve_length }}', type: 'card_number', data: cardNumber('aliased number') };
  expect((await send('POST', '/tokens', { key: reveal, body: alias })).status).toBe(201);

  const { id } = token.body as { id: string };
  const detokenized = await send('POST', '/detokenize', {
    key: reveal,
    body: { value: `{{ ${id} | json: '$.number' }}` },
  });
  expect(detokenized.body).toEqual({ value: number });
  const tokenized = {
    one: { type: 'card_number', data: cardNumber('tokenized number') },
    other: [secret('untouched')],
  };
  expect((await send('POST', '/tokenize', { key: reveal, body: tokenized })).status).toBe(200);
  const found = await send('POST', '/tokens/search', { key: reveal, body: { query: `data:${number}` } });
  expect(found.body).toMatchObject({ data: [{ id }] });
  await send('GET', `/tokens?metadata.a=${secret('filter')}`, { key: reveal });
}

/** Makes requests that are refused, with a secret in the invalid part and next to it. */
async function makeItFail(): Promise<void> {
  const { reveal } = tenant.keys;
  const token = (body: object) => send('POST', '/tokens', { key: reveal, body: { type: 'token', ...body } });
  const raw = (rawBody: string | Uint8Array, headers = {}) =>
    send('POST', '/tokens', { key: reveal, rawBody, headers });

  await token({ type: secret('unknown type'), data: secret('data of an unknown type') });
  await token({ id: `${secret('id')}/`, data: 1 });
  await token({ data: secret('data with bad containers'), containers: [secret('container')] });
  await token({ data: secret('data with bad metadata'), metadata: { a: [secret('metadata of a wrong type')] } });
  await token({ data: secret('data with long metadata'), metadata: { a: secret('long metadata').padEnd(501, 'x') } });
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v']));
  await token({ data: secret('data with much metadata'), metadata: many });
  await send('POST', '/applications', {
    key: tenant.keys.management,
    body: { name: 'x', type: secret('application type'), permissions: [secret('permission')], rules: secret('rules') },
  });

  const unknown = secret('expression');
  await token({ data: secret('data with a bad mask'), mask: `{{ data.${unknown} | ${unknown} }}` });
  await token({ data: secret('data with a bad index'), search_indexes: [`{{ ${unknown}`] });
  await token({ type: 'card', data: { number: `${cardNumber('card number with a space')} ` } });
  await token({ type: 'card_number', data: secret('not a number') });
  await send('POST', '/detokenize', { key: reveal, body: { value: `{{ ${crypto.randomUUID()} | ${unknown} }}` } });
  await send('POST', '/tokens/search', { key: reveal, body: { query: `data:"${secret('search')}" and nonsense:(` } });

  const id = crypto.randomUUID();
  await token({ id, data: secret('first data of an id') });
  await token({ id, data: secret('second data of an id') });

  await raw(`{"type":"token","data":"${secret('unfinished')}`);
  await raw(`{"type":"token","data":${secret('bare word')}}`);
  await raw(`{"type":"token","data":"${secret('before a comma')}",,}`);
  const twice = secret('repeated name');
  await raw(`{"type":"token","data":{"${twice}":1,"${twice}":2}}`);
  await raw(
    Buffer.concat([Buffer.from(`{"type":"token","data":"${secret('not utf-8')}`), Buffer.of(0xff, 0x22, 0x7d)]),
  );
  await raw(`{"type":"token","data":"${secret('too large').padEnd(4 * 1024 * 1024, 'x')}"}`);
  await raw(`{"type":"token","data":"${secret('plain text')}"}`, { 'content-type': 'text/plain' });
  await raw(`{"type":"token","data":1}`, { 'content-type': `application/${secret('media type')}` });
  await raw(`{"type":"token","data":${'['.repeat(70)}"${secret('too deep')}"${']'.repeat(70)}}`);

  await send('GET', `/tokens/${secret('path')}`, { key: reveal });
  await send('GET', `/nowhere/${secret('unknown path')}?q=${secret('query')}`, { key: reveal });
  await send('GET', `/applications?page=${secret('page')}`, { key: tenant.keys.management });
  await send('GET', '/tokens/a', { key: reveal, headers: { 'bt-trace-id': `"${secret('trace id')}"` } });
  await send('GET', '/tokens/a', { key: secret('malformed key') });
  const unknownKey = generateApiKey('test', 'pvt').text;
  addKey('unknown', unknownKey);
  await send('GET', '/tokens/a', { key: unknownKey });

  const broken = (await token({ data: secret('data that is damaged later') })).body as { id: string };
  await vault.database.owner.query('update tokens set version = 7 where id = $1', [broken.id]);
  await send('GET', `/tokens/${broken.id}`, { key: reveal });
  await vault.database.owner.query('alter table tokens add constraint refuse check (false) not valid');
  await token({ data: secret('data that the database refuses') });
  await vault.database.owner.query('alter table tokens drop constraint refuse');
}

async function send(method: string, url: string, request: TestRequest): Promise<TestResponse> {
  const answer = await vault.request(method, url, request);
  answers.push(answer);
  return answer;
}

async function dumpDatabase(): Promise<Buffer> {
  const program = path.join(inject('postgresBinaryDirectory'), 'pg_dump');
  const { stdout } = await promisify(execFile)(program, ['--dbname', vault.database.url], {
    encoding: 'buffer',
    maxBuffer: 256 * 1024 * 1024,
  });
  return stdout;
}

function text(): string {
  return `canary${crypto.randomUUID().replaceAll('-', '')}`;
}

function secret(name: string): string {
  const value = text();
  secrets.push({ name, bytes: Buffer.from(value) });
  return value;
}

function digits(name: string): string {
  const value = `9${Array.from({ length: 29 }, () => randomInt(10)).join('')}`;
  secrets.push({ name, bytes: Buffer.from(value) });
  return value;
}

/** Returns a card number with 19 digits, the maximum length. */
function cardNumber(name: string): string {
  const value = makeCardNumber(19);
  secrets.push({ name, bytes: Buffer.from(value) });
  return value;
}

function secretBytes(name: string): Buffer {
  const bytes = randomBytes(32);
  secrets.push({ name, bytes });
  return bytes;
}

/** Adds the secret part of a key, as text and as bytes. The other part of the key is its id, which is not secret. */
function addKey(name: string, key: string): void {
  const parsed = parseApiKey(key);
  if (parsed === undefined) throw new Error('A key is not one.');
  const secretText = (key.split('_')[3] ?? '').slice(22);
  secrets.push({ name: `${name} key`, bytes: Buffer.from(secretText) });
  secrets.push({ name: `${name} key, decoded`, bytes: Buffer.from(parsed.secret) });
}
