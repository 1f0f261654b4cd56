// What the server of a shop asks the vault for. It never sees a card number.
const { VAULT_URL, PRIVATE_KEY, REVEAL_KEY } = process.env;

/** The card of the customer. Your server knows who is signed in, and keeps the id of the token in its database. */
let cardId = process.env.CARD_ID;

async function callVault(key, method, path, body) {
  const response = await fetch(`${VAULT_URL}${path}`, {
    method,
    headers: { 'BT-API-KEY': key, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The vault responded with ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** Lets the session of a page store one customer's card: it can create tokens, and nothing else. */
export async function authorizeCheckout({ nonce }) {
  const rule = { description: 'One checkout', priority: 1, container: '/pci/high/', transform: 'mask' };
  const rules = [{ ...rule, permissions: ['token:create'] }];
  await callVault(PRIVATE_KEY, 'POST', '/sessions/authorize', { nonce, rules, origin: 'elements' });
  return {};
}

/** Takes an order that names a token. The key of the shop sees the card masked. */
export async function takeOrder({ token_id }) {
  const { card } = await callVault(PRIVATE_KEY, 'GET', `/tokens/${encodeURIComponent(token_id)}`);
  cardId = token_id;
  return { status: 'paid', card: `${card.brand} •••• ${card.last4}` };
}

/** Lets the session of a page see the customer's own card, and no other. */
export async function authorizeOwner({ nonce }) {
  const conditions = [{ attribute: 'id', operator: 'equals', value: cardId }];
  const rule = { description: 'Show a card to its owner', priority: 1, conditions, transform: 'reveal' };
  const rules = [{ ...rule, permissions: ['token:read'] }];
  await callVault(REVEAL_KEY, 'POST', '/sessions/authorize', { nonce, rules, origin: 'elements' });
  return { token_id: cardId };
}
