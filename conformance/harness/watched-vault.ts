import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type ApiDescription, DescribedApi } from './described-api.ts';
import type { VaultAddress } from './vault-address.ts';

/**
 * The status of the response that replaces one missing from the API description, so that the test that sent the request
 * fails.
 */
const replacementStatus = 500;

/** Starts a proxy in front of a vault that checks every response against `/openapi.json`. */
export async function watchVault(vault: VaultAddress): Promise<{ vault: VaultAddress; stop: () => Promise<void> }> {
  const api = new DescribedApi((await (await fetch(`${vault.url}/openapi.json`)).json()) as ApiDescription);
  const server = createServer((incoming, outgoing) => {
    forward(api, vault.url, incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    vault: { ...vault, url: `http://localhost:${port}` },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function forward(api: DescribedApi, url: string, incoming: IncomingMessage, outgoing: ServerResponse) {
  const { method = '', url: path = '', rawHeaders } = incoming;
  const asked = request(`${url}${path}`, { method, headers: rawHeaders, setHost: false });
  incoming.pipe(asked);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const body = await buffer(answer);
  const wrong = judge(api, incoming, answer, body.toString());
  if (wrong === undefined) outgoing.writeHead(answer.statusCode ?? 0, answer.rawHeaders).end(body);
  else outgoing.writeHead(replacementStatus, { 'content-type': 'text/plain' }).end(`${method} ${path} ${wrong}`);
}

function judge(api: DescribedApi, asked: IncomingMessage, answer: IncomingMessage, body: string): string | undefined {
  // The vault does not describe responses that a destination sends through the proxy.
  if (answer.headers['bt-proxy-destination-status'] !== undefined) return undefined;
  const [path = ''] = (asked.url ?? '').split('?');
  const { statusCode: status = 0, headers } = answer;
  return api.judge({ method: asked.method ?? '', path, status, contentType: headers['content-type'], body });
}
