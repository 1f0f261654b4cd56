// The shop with Express: npm install && npm start. It serves the pages of ../javascript.
import { readFile } from 'node:fs/promises';
import express from 'express';
import { policy, renderPage } from '../javascript/pages.mjs';
import { authorizeCheckout, authorizeOwner, takeOrder } from '../javascript/shop.mjs';

const { SHOP_PORT = '3000' } = process.env;
const pages = new URL('../javascript/', import.meta.url);

const app = express();
app.use(express.json({ limit: '10kb' }));
app.use((request, response, next) => {
  response.set('content-security-policy', policy);
  // Everything that the server ever gets to see of a customer.
  console.error(request.method, request.url, request.body === undefined ? '' : JSON.stringify(request.body));
  next();
});

const page = (file) => async (request, response) => response.send(await renderPage(new URL(file, pages)));
const file = (name, type) => async (request, response) =>
  response.type(type).send(await readFile(new URL(name, pages)));
const call = (handler) => async (request, response) => response.json(await handler(request.body));

app.get('/', page('checkout.html'));
app.get('/card.html', page('card.html'));
app.get('/checkout.js', file('checkout.js', 'js'));
app.get('/card.js', file('card.js', 'js'));
app.get('/shop.css', file('shop.css', 'css'));
app.post('/checkout-session', call(authorizeCheckout));
app.post('/orders', call(takeOrder));
app.post('/card-session', call(authorizeOwner));

// Express passes what a handler throws to the last function with four parameters.
app.use((error, request, response, next) => {
  console.error(error.message);
  if (response.headersSent) next(error);
  else response.status(502).json({ detail: 'The vault is not available.' });
});
app.listen(Number(SHOP_PORT), '127.0.0.1', () => console.log(`http://localhost:${SHOP_PORT}`));
