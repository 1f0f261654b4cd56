import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ElementsBuild } from '../../../test/harness/elements-build.ts';
import { TestVault } from '../../../test/harness/test-vault.ts';
import { examineElements } from './elements-examination.ts';

interface Passed {
  readonly path: string;
  readonly headers: Headers;
  body: string;
  status: number;
}

let build: ElementsBuild;
let vault: TestVault;
let proxy: Server;
let upstream: string;
/** Modifies a response as it passes through the proxy. */
let meddle: (passed: Passed) => void = () => undefined;
beforeAll(async () => {
  build = await ElementsBuild.make();
  const config = { url: 'https://elements.example.com', port: 0 };
  vault = await TestVault.start(undefined, { elements: { config, folder: build.folder } });
  upstream = vault.server.elementsUrl ?? '';
  proxy = createServer((request, response) => void passOn(request, response)).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});
afterEach(() => {
  meddle = () => undefined;
});
afterAll(async () => {
  proxy.close();
  await vault.stop();
  await build.remove();
});

async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '';
  const answer = await fetch(`${upstream}${path}`, { headers: { 'accept-encoding': 'identity' } });
  const passed = { path, headers: new Headers(answer.headers), body: await answer.text(), status: answer.status };
  for (const name of ['connection', 'keep-alive', 'content-length', 'transfer-encoding']) passed.headers.delete(name);
  meddle(passed);
  response.writeHead(passed.status, Object.fromEntries(passed.headers)).end(passed.body);
}

const examine = () => examineElements(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
const onFrames = (change: (passed: Passed) => void) => (passed: Passed) => {
  if (passed.path.startsWith('/elements/field')) change(passed);
};

describe('the examination of card fields', () => {
  it('finds nothing wrong where a proxy passes everything on', async () => {
    const detail = expect.stringContaining('serves them unchanged');
    expect(await examine()).toEqual({ name: 'card fields', isOk: true, detail });
  });

  it.each<[string, (passed: Passed) => void, string]>([
    [
      'drops the policy',
      onFrames(({ headers }) => headers.delete('content-security-policy')),
      'The frame document has lost its content-security-policy header. Let the proxy pass it on.',
    ],
    [
      'adds to the policy',
      onFrames(({ headers }) => headers.append('content-security-policy', `frame-ancestors 'self'`)),
      'The frame document has another content-security-policy header than the vault sends. Let the proxy neither set nor extend it.',
    ],
    [
      'forbids frames',
      onFrames(({ headers }) => headers.set('x-frame-options', 'SAMEORIGIN')),
      'The frame document has an X-Frame-Options header, which hides fields. Remove it in the proxy.',
    ],
    [
      'makes documents cacheable',
      onFrames(({ headers }) => headers.set('cache-control', 'max-age=60')),
      'The frame document has another cache-control header than the vault sends. Let the proxy neither set nor extend it.',
    ],
    [
      'keeps documents in a cache',
      onFrames(({ headers }) => headers.set('bt-trace-id', 'kept')),
      'The frame document comes from a cache. Let the proxy cache nothing that says no-store.',
    ],
    [
      'sets cookies',
      onFrames(({ headers }) => headers.set('set-cookie', 'route=1')),
      'The frame document sets a cookie. Turn off cookies of the proxy for this origin.',
    ],
    [
      'rewrites scripts',
      (passed) => {
        if (passed.path.endsWith('/client.js')) passed.body += '/* served by */';
      },
      'client.js is not the file in the manifest. Turn off what rewrites scripts and styles in the proxy.',
    ],
    [
      'lets only some pages load files',
      ({ path, headers }) => {
        if (path.endsWith('/field.css')) headers.set('access-control-allow-origin', 'https://shop.example');
      },
      'field.css has another access-control-allow-origin header than the vault sends. Let the proxy neither set nor extend it.',
    ],
    [
      'does not pass on a file',
      (passed) => {
        if (passed.path.endsWith('/controller.js')) passed.status = 403;
      },
      'controller.js returns 403. Let the proxy pass on every path, and run one version of the vault.',
    ],
  ])('tells what to do about a proxy that %s', async (_name, change, detail) => {
    meddle = change;
    expect(await examine()).toEqual({ name: 'card fields', isOk: false, detail });
  });

  it('tells what to do about a proxy that takes the origin for that of the vault', async () => {
    const { isOk, detail } = await examineElements(vault.server.url);
    expect(isOk).toBe(false);
    expect(detail).toContain(
      '/elements/manifest.json returns 404 instead of the manifest. Let the proxy pass on the Host',
    );
  });

  it('tells what to do where nothing is built', async () => {
    meddle = (passed) => {
      passed.status = 503;
    };
    expect((await examine()).detail).toContain('Run `npm run build`');
  });

  it('only warns where nobody listens: the vault may not have been started', async () => {
    expect(await examineElements('http://127.0.0.1:1')).toMatchObject({ isOk: true, isWarning: true });
  });
});
