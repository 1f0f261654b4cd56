// A shop: serves the checkout page, gives it a session of the vault, and takes orders that name a token.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const { VAULT_URL, PUBLIC_KEY, PRIVATE_KEY } = process.env;

async function callVault(method, path, key, body) {
  const response = await fetch(`${VAULT_URL}${path}`, {
    method,
    headers: { 'bt-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The vault responded with ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** A key for one checkout: it lasts for minutes and can only create tokens, in the container for cards. */
async function createCheckoutSession() {
  const { session_key, nonce } = await callVault('POST', '/sessions', PUBLIC_KEY);
  const rule = { description: 'One checkout', priority: 1, container: '/pci/high/', transform: 'mask' };
  const rules = [{ ...rule, permissions: ['token:create'] }];
  await callVault('POST', '/sessions/authorize', PRIVATE_KEY, { nonce, rules });
  return { vault_url: VAULT_URL, session_key };
}

/** The shop keeps the token. Its key sees the card masked. */
async function takeOrder({ token_id }) {
  const { data } = await callVault('GET', `/tokens/${encodeURIComponent(token_id)}`, PRIVATE_KEY);
  return { status: 'paid', card: data.number };
}

const routes = {
  'GET /': async () => readFile(new URL('checkout.html', import.meta.url), 'utf8'),
  'POST /checkout-session': createCheckoutSession,
  'POST /orders': takeOrder,
};

const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const name = `${request.method} ${request.url}`;
  // Everything that the shop ever gets to see of a customer.
  console.error(name, text);
  try {
    const result = await routes[name]?.(text === '' ? {} : JSON.parse(text));
    if (result === undefined) response.writeHead(404).end();
    else if (typeof result === 'string') response.setHeader('content-type', 'text/html').end(result);
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(result));
  } catch (error) {
    console.error(error.message);
    response.writeHead(502, { 'content-type': 'application/json' }).end('{"detail":"The payment is not available."}');
  }
});
server.listen(Number(process.env.SHOP_PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://localhost:${server.address().port}`);
});
