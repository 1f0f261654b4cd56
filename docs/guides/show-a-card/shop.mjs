// A server that knows whose card is whose: it serves two pages, and lets a session of one show its owner's card.
import { authorizeSession, serveShop } from '../shop/serve-shop.mjs';

const { REVEAL_KEY, CARD_ID } = process.env;

/** Your server looks up the card of the person who is signed in. The session can see this card and no other. */
async function authorizeOwner({ nonce }) {
  const conditions = [{ attribute: 'id', operator: 'equals', value: CARD_ID }];
  const rule = { description: 'Show a card to its owner', priority: 1, conditions, transform: 'reveal' };
  await authorizeSession(REVEAL_KEY, nonce, { ...rule, permissions: ['token:read'] });
  return { token_id: CARD_ID };
}

serveShop({
  page: new URL('card.html', import.meta.url),
  script: new URL('card.js', import.meta.url),
  actions: { 'POST /card-session': authorizeOwner },
  failure: 'The card cannot be shown.',
});
