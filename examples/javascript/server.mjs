// A server without a framework: node server.mjs
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { policy, renderPage, settings } from './pages.mjs';
import { authorizeCheckout, authorizeOwner, takeOrder } from './shop.mjs';

const { SHOP_PORT = '3000', BUILT_PAGES } = process.env;
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

const routes = {
  'GET /': () => renderPage(new URL('checkout.html', import.meta.url)),
  'GET /card.html': () => renderPage(new URL('card.html', import.meta.url)),
  'GET /checkout.js': () => readFile(new URL('checkout.js', import.meta.url), 'utf8'),
  'GET /card.js': () => readFile(new URL('card.js', import.meta.url), 'utf8'),
  'GET /shop.css': () => readFile(new URL('shop.css', import.meta.url), 'utf8'),
  'GET /settings': () => settings,
  'POST /checkout-session': authorizeCheckout,
  'POST /orders': takeOrder,
  'POST /card-session': authorizeOwner,
};

/** Pages that a bundler has built, such as the example with React. */
function findBuilt(url) {
  const name = /^\/built\/((?:assets\/)?[\w.-]*)$/.exec(url)?.[1];
  if (name === undefined || BUILT_PAGES === undefined) return undefined;
  return () => readFile(path.join(BUILT_PAGES, name || 'index.html'), 'utf8');
}

const server = createServer(async (request, response) => {
  const { method, url } = request;
  let text = '';
  for await (const chunk of request) text += chunk;
  // Everything that the server ever gets to see of a customer.
  console.error(method, url, text);
  try {
    const route = routes[`${method} ${url}`] ?? (method === 'GET' ? findBuilt(url) : undefined);
    if (route === undefined) return response.writeHead(404).end();
    const result = await route(text === '' ? {} : JSON.parse(text));
    const isText = typeof result === 'string';
    const type = isText ? types[path.extname(url) || '.html'] : 'application/json';
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy });
    return response.end(isText ? result : JSON.stringify(result));
  } catch (error) {
    console.error(error.message);
    return response.writeHead(502).end(JSON.stringify({ detail: 'The vault is not available.' }));
  }
});
server.listen(Number(SHOP_PORT), '127.0.0.1', () => console.log(`http://localhost:${SHOP_PORT}`));
