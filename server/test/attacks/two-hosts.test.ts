import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../harness/raw-http.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * A proxy in front of the vault allows or rejects a request by the host that it parses. If the vault parses another
 * host from the same bytes, a request that was allowed for one name is executed under another.
 */
let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const send = (line: string, headers: readonly string[], body = '') =>
  sendRaw(
    vault.server.url,
    [line, ...headers, `bt-api-key: ${tenant.keys.private}`, 'connection: close', '', body].join('\r\n'),
  );

describe('a request for more than one host', () => {
  const json = '{"type":"token","data":"x"}';
  const post = ['content-type: application/json', `content-length: ${json.length}`];
  it.each<[string, string, readonly string[], string?]>([
    ['two names', 'GET /roles HTTP/1.1', ['host: vault.example', 'host: evil.example']],
    ['the same name twice', 'GET /roles HTTP/1.1', ['host: vault.example', 'host: vault.example']],
    ['two spellings of the header', 'GET /roles HTTP/1.1', ['Host: vault.example', 'HOST: evil.example']],
    ['an empty one first', 'GET /roles HTTP/1.1', ['host:', 'host: evil.example']],
    ['an empty one last', 'GET /roles HTTP/1.1', ['host: vault.example', 'host:']],
    ['one far behind the other', 'GET /roles HTTP/1.1', ['host: a', ...Array(40).fill('x-filler: x'), 'host: b']],
    ['two of HTTP/1.0', 'GET /roles HTTP/1.0', ['host: a', 'host: b']],
    ['a write', 'POST /tokens HTTP/1.1', ['host: a', 'host: b', ...post], json],
    [
      'a preflight',
      'OPTIONS /tokens HTTP/1.1',
      ['host: a', 'host: b', 'origin: https://x', 'access-control-request-method: POST'],
    ],
    ['an unknown path', 'GET /nothing HTTP/1.1', ['host: a', 'host: b']],
    ['a path that cannot be decoded', 'GET /tokens/%zz HTTP/1.1', ['host: a', 'host: b']],
    ['no name', 'GET /roles HTTP/1.1', ['host:']],
    ['two names in one header', 'GET /roles HTTP/1.1', ['host: vault.example, evil.example']],
    ['a name with a blank', 'GET /roles HTTP/1.1', ['host: vault.example evil.example']],
    ['a name with a user', 'GET /roles HTTP/1.1', ['host: vault.example@evil.example']],
    ['a name with a path', 'GET /roles HTTP/1.1', ['host: vault.example/evil.example']],
    ['another in the target', 'GET http://evil.example/roles HTTP/1.1', ['host: vault.example']],
    ['another port in the target', 'GET http://vault.example:81/roles HTTP/1.1', ['host: vault.example']],
    ['a user in the target', 'GET http://vault.example@evil.example/roles HTTP/1.1', ['host: vault.example']],
    ['a target for a host, and no header', 'GET http://vault.example/roles HTTP/1.0', []],
  ])('gets 400 and a closed connection: %s', async (_name, line, headers, body) => {
    const answer = await send(line, headers, body);
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(JSON.parse(answer.body)).toMatchObject({ type: '/docs/errors/malformed-request', status: 400 });
    expect(answer.body).not.toMatch(/vault\.example|evil/);
  });

  it('gets the form of every refusal when there is no host at all', async () => {
    const answer = await send('GET /roles HTTP/1.1', []);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ type: '/docs/errors/malformed-request' });
  });

  it.each(['/portal/sign-in', '/docs/'])('gets a page that says so at %s, and no form to sign in', async (path) => {
    const answer = await send(`GET ${path} HTTP/1.1`, ['host: a', 'host: b']);
    expect([answer.status, answer.headers['connection']]).toEqual([400, 'close']);
    expect(answer.headers['content-type']).toMatch(/^text\/html/);
    expect(answer.body).not.toContain('<form');
  });

  it('stores nothing', async () => {
    const body = '{"id":"by-two-hosts","type":"token","data":"x"}';
    await send(
      'POST /tokens HTTP/1.1',
      ['host: a', 'host: b', 'content-type: application/json', `content-length: ${body.length}`],
      body,
    );
    expect((await vault.request('GET', '/tokens/by-two-hosts', { key: tenant.keys.private })).status).toBe(404);
  });

  it('takes the request behind it on the same connection down with it', async () => {
    const { hostname, port } = new URL(vault.server.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const next = `GET /roles HTTP/1.1\r\nhost: a\r\nbt-api-key: ${tenant.keys.private}\r\n\r\n`;
    socket.write(`GET /roles HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n${next}`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
  });
});

describe('a request for one host', () => {
  it.each<[string, string, readonly string[]]>([
    ['by name', 'GET /roles HTTP/1.1', ['host: vault.example']],
    ['by name and port', 'GET /roles HTTP/1.1', ['host: vault.example:8443']],
    ['by address', 'GET /roles HTTP/1.1', ['host: [::1]:8443']],
    ['in the target and in the header', 'GET http://vault.example/roles HTTP/1.1', ['host: Vault.Example']],
    ['in HTTP/1.0, which has none', 'GET /roles HTTP/1.0', []],
  ])('is taken: %s', async (_name, line, headers) => {
    expect((await send(line, headers)).status).toBe(200);
  });
});
