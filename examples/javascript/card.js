// Shows a card to its owner. The page gets references; the frames of the vault show what they stand for.
const { key } = document.querySelector('script[data-key]').dataset;
const button = document.querySelector('button');
const status = document.querySelector('[role=status]');

const vault = await window.strongroom(key);
const number = vault.createElement('cardNumber', { targetId: 'number', readOnly: true, enableCopy: true });
const date = vault.createElement('cardExpirationDate', { targetId: 'date', readOnly: true });
await Promise.all([number.mount('#number'), date.mount('#date')]);
button.disabled = false;

/** The server knows who is signed in, and authorizes the session to see that person's card. */
async function show() {
  const { sessionKey, nonce } = await vault.sessions.create();
  const headers = { 'content-type': 'application/json' };
  const response = await fetch('/card-session', { method: 'POST', headers, body: JSON.stringify({ nonce }) });
  const { token_id, detail } = await response.json();
  if (!response.ok) throw new Error(detail);
  const { data } = await vault.tokens.retrieve(token_id, { apiKey: sessionKey });
  number.setValue(data.number);
  date.setValue({ month: data.expiration_month, year: data.expiration_year });
}

button.addEventListener('click', async () => {
  try {
    await show();
    status.textContent = 'Only you can see it.';
  } catch (error) {
    status.textContent = `That did not work: ${error.message}`;
  }
});
