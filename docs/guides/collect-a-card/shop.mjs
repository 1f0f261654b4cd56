// A shop: serves two checkout pages, decides what their sessions may do, and takes orders that name a token.
import { authorizeSession, callVault, serveShop } from '../shop/serve-shop.mjs';

const { PRIVATE_KEY } = process.env;

/** For one checkout: the session of the page can create tokens in the container for cards, and nothing else. */
async function authorizeCheckout({ nonce }) {
  const rule = { description: 'One checkout', priority: 1, container: '/pci/high/', transform: 'mask' };
  await authorizeSession(PRIVATE_KEY, nonce, { ...rule, permissions: ['token:create'] });
  return {};
}

/** The shop keeps the token. Its key sees the card masked. */
async function takeOrder({ token_id }) {
  const { card } = await callVault(PRIVATE_KEY, 'GET', `/tokens/${encodeURIComponent(token_id)}`);
  return { status: 'paid', card: `${card.brand} •••• ${card.last4}` };
}

serveShop({
  page: new URL('checkout.html', import.meta.url),
  script: new URL('checkout.js', import.meta.url),
  actions: { 'POST /checkout-session': authorizeCheckout, 'POST /orders': takeOrder },
  failure: 'The payment is not available.',
});
