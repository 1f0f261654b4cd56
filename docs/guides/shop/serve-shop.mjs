// What the small servers of the guides share: a policy for their pages, a vault to call, and a table of routes.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';

const { VAULT_URL, ELEMENTS_URL, SHOP_KEY, SHOP_PORT, REACT_PAGE } = process.env;

/** Calls the vault with a key that never leaves the server. */
export async function callVault(key, method, target, body) {
  const response = await fetch(`${VAULT_URL}${target}`, {
    method,
    headers: { 'bt-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The vault responded with ${response.status}: ${text}`);
  return text === '' ? {} : JSON.parse(text);
}

/** Decides what a session may do. Only one that the card fields have created will do: its key is in no script's reach. */
export async function authorizeSession(key, nonce, rule) {
  await callVault(key, 'POST', '/sessions/authorize', { nonce, rules: [rule], origin: 'elements' });
}

/** The script of the fields by its version and hash: a browser refuses any other. */
async function renderPage(file) {
  const { version, files } = await (await fetch(`${ELEMENTS_URL}/elements/manifest.json`)).json();
  return (await readFile(file, 'utf8'))
    .replace('%CLIENT_URL%', `${ELEMENTS_URL}/elements/${version}/client.js`)
    .replace('%CLIENT_INTEGRITY%', files['client.js'])
    .replace('%PUBLIC_KEY%', SHOP_KEY);
}

const policy = [
  `default-src 'none'`,
  `script-src 'self' ${ELEMENTS_URL}`,
  `style-src 'self'`,
  'img-src data:',
  `connect-src 'self' ${ELEMENTS_URL}`,
  `frame-src ${ELEMENTS_URL}`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** The page with React, as it was built. */
function findBuilt(url) {
  const name = /^\/react\/((?:assets\/)?[\w.-]*)$/.exec(url)?.[1];
  return name === undefined ? undefined : () => readFile(path.join(REACT_PAGE, name || 'index.html'), 'utf8');
}

/** Serves a page with its script, the same with React, and what they ask the server for; `failure` is for the customer. */
export function serveShop({ page, script, actions, failure }) {
  const routes = {
    'GET /': () => renderPage(page),
    [`GET /${path.basename(script.pathname)}`]: () => readFile(script, 'utf8'),
    'GET /shop.css': () => readFile(new URL('shop.css', import.meta.url), 'utf8'),
    'GET /settings': async () => ({ publicKey: SHOP_KEY, elementsUrl: ELEMENTS_URL }),
    ...actions,
  };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { method, url } = request;
    // Everything that the server ever gets to see of a customer.
    console.error(method, url, text);
    try {
      const route = routes[`${method} ${url}`] ?? (method === 'GET' ? findBuilt(url) : undefined);
      const result = await route?.(text === '' ? {} : JSON.parse(text));
      const type = typeof result === 'string' ? types[path.extname(url) || '.html'] : 'application/json';
      if (result === undefined) response.writeHead(404).end();
      else
        response
          .writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy })
          .end(typeof result === 'string' ? result : JSON.stringify(result));
    } catch (error) {
      console.error(error.message);
      response.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify({ detail: failure }));
    }
  });
  server.listen(Number(SHOP_PORT), '127.0.0.1', () => console.log(`http://localhost:${SHOP_PORT}`));
}
