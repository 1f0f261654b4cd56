import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ElementsBuild } from '../../../test/harness/elements-build.ts';
import { createQuietEdge } from '../../../test/harness/quiet-edge.ts';
import { encodeBase58 } from '../../core/identity/base58.ts';
import { readElementsFiles } from './elements-files.ts';
import { ElementsOrigin } from '../../http/origins/elements-origin.ts';
import { addElementsRoutes } from './index.ts';

const lists = new Map<string, readonly string[]>();
const publicKeys = new Map<string, string>();
const clientKeys = { findPublicKey: async (keyId: string, id: string) => publicKeys.get(`${keyId} ${id}`) };
let build: ElementsBuild;
let edge: Awaited<ReturnType<typeof createQuietEdge>>;
beforeAll(async () => {
  build = await ElementsBuild.make();
  edge = await createQuietEdge({ elements: new ElementsOrigin('https://elements.example.com') });
  const origins = { findAllowedOrigins: async (keyId: string) => lists.get(keyId) };
  addElementsRoutes(edge, { build: readElementsFiles(build.folder), origins, clientKeys });
});
afterAll(async () => {
  await edge.close();
  await build.remove();
});

/** Registers a key with these origins and returns the part of the key that identifies it. */
function keyWith(allowed: readonly string[]): string {
  const id = crypto.randomUUID();
  lists.set(id, allowed);
  return encodeBase58(Buffer.from(id.replaceAll('-', ''), 'hex'));
}

const get = (url: string) => edge.inject({ url, headers: { host: 'elements.example.com' } });

async function ancestorsOf(key: string): Promise<string | undefined> {
  const { headers } = await get(`/elements/field?key=${key}`);
  return /frame-ancestors ([^;]*);/.exec(String(headers['content-security-policy']))?.[1];
}

describe('the pages that can show a field', () => {
  it.each([
    [['https://shop.example']],
    [['https://shop.example', 'https://xn--bcher-kva.example:8443']],
    [['http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:5173']],
  ])('are those of the key: %j', async (allowed) => {
    expect(await ancestorsOf(keyWith(allowed))).toBe(allowed.join(' '));
  });

  it.each([
    '*',
    `'self'`,
    'https:',
    'https://*.example',
    'https://shop.example/path',
    'https://shop.example; script-src *',
    'https://shop.example https://evil.example',
    'https://shop.example, https://evil.example',
    'https://shop.example\r\nset-cookie: x',
    'https://shöp.example',
    'https://user@shop.example',
    'data:text/html,x',
    '',
  ])('are never %j, even if that were stored', async (stored) => {
    expect(await ancestorsOf(keyWith([stored]))).toBe(`'none'`);
    expect(await ancestorsOf(keyWith([stored, 'https://shop.example']))).toBe('https://shop.example');
  });
});

describe('the check of a page', () => {
  const check = async (key: string, origin: string) => {
    const response = await get(`/elements/check?key=${key}&origin=${encodeURIComponent(origin)}`);
    expect(response.headers).toMatchObject({ 'access-control-allow-origin': '*', 'cache-control': 'no-store' });
    return response.json<unknown>();
  };

  it('tells whether it may show fields, and why not', async () => {
    const key = keyWith(['https://shop.example', 'http://localhost:3000']);
    expect(await check(key, 'https://shop.example')).toEqual({ allowed: true });
    expect(await check(key, 'http://localhost:3000')).toEqual({ allowed: true });
    expect(await check(key, 'https://shop.example:8443')).toEqual({ allowed: false, reason: 'other-origin' });
    expect(await check(key, 'null')).toEqual({ allowed: false, reason: 'other-origin' });
    expect(await check(keyWith([]), 'https://shop.example')).toEqual({ allowed: false, reason: 'no-origins' });
    const unknown = { allowed: false, reason: 'unknown-key' };
    expect(await check('2222222222222222222222', 'https://shop.example')).toEqual(unknown);
    expect(await check('no-key', 'https://shop.example')).toEqual(unknown);
    expect((await get('/elements/check')).json()).toEqual(unknown);
  });
});

describe('a build', () => {
  it('that is not there is a clear text, and the check still works', async () => {
    const unbuilt = await createQuietEdge({ elements: new ElementsOrigin('https://elements.example.com') });
    const origins = { findAllowedOrigins: async () => undefined };
    addElementsRoutes(unbuilt, { build: readElementsFiles('/nowhere'), origins, clientKeys });
    const ask = (url: string) => unbuilt.inject({ url, headers: { host: 'elements.example.com' } });
    for (const url of ['/elements/field', '/elements/client.js', '/web-elements/1/client/index.js']) {
      const { statusCode, body } = await ask(url);
      expect([statusCode, body]).toEqual([503, expect.stringContaining('Run `npm run build`')]);
    }
    expect((await ask('/elements/check')).statusCode).toBe(200);
    expect((await ask('/docs')).statusCode).toBe(404);
    await unbuilt.close();
  });

  it.each<[string, (broken: ElementsBuild) => Promise<void>]>([
    ['a file that was changed', (broken) => broken.write('field.js', 'alert(1)')],
    ['a file outside', (broken) => broken.write('manifest.json', manifestWith({ '../field.js': 'x' }))],
    ['a file that is missing', (broken) => broken.write('manifest.json', manifestWith({ 'more.js': 'x' }))],
    ['a version that is no path', (broken) => broken.write('manifest.json', JSON.stringify({ version: '../x' }))],
  ])('is refused with %s', async (_name, breakIt) => {
    const broken = await ElementsBuild.make();
    await breakIt(broken);
    expect(() => readElementsFiles(broken.folder)).toThrow('Run `npm run build` and start again.');
    await broken.remove();
  });
});

function manifestWith(files: Record<string, string>): string {
  return JSON.stringify({ ...build.manifest, files: { ...build.manifest.files, ...files } });
}

describe('the public half of a client key', () => {
  const id = crypto.randomUUID();
  const ask = async (query: string) => (await get(`/elements/encryption-key?${query}`)).json();

  it('is returned to frames of its tenant', async () => {
    const key = keyWith(['https://shop.example']);
    publicKeys.set(`${[...lists.keys()].at(-1)} ${id}`, 'the key');
    expect(await ask(`key=${key}&id=${id}`)).toEqual({ public_key_pem: 'the key' });
    const other = keyWith(['https://other.example']);
    expect(await ask(`key=${other}&id=${id}`)).toEqual({ public_key_pem: null });
  });

  it('is not returned for a key without pages, and for what is no key', async () => {
    const key = keyWith([]);
    publicKeys.set(`${[...lists.keys()].at(-1)} ${id}`, 'the key');
    for (const query of [`key=${key}&id=${id}`, `key=${key}`, `id=${id}`, `key=${key}&id=x`, 'key=1&id=1', ''])
      expect(await ask(query)).toEqual({ public_key_pem: null });
  });
});
