// The page of a shop: what is typed into the fields stays in frames of the vault.
const { key } = document.querySelector('script[data-key]').dataset;
const button = document.querySelector('button');
const status = document.querySelector('[role=status]');

const vault = await window.strongroom(key);
const number = vault.createElement('cardNumber', { targetId: 'number' });
const date = vault.createElement('cardExpirationDate', { targetId: 'date' });
const code = vault.createElement('cardVerificationCode', { targetId: 'code' });
await Promise.all([number.mount('#number'), date.mount('#date'), code.mount('#code')]);
button.disabled = false;

const fields = { number, date, code };
const placeOf = (id) => document.getElementById(`${id}-problem`);

/** Shows why the value of a field is not accepted, with a sentence in the language of the page. */
function showProblem(id) {
  const [problem] = fields[id].problems;
  placeOf(id).textContent = problem?.message ?? '';
  return problem !== undefined;
}

// A sentence appears when somebody leaves a field with a mistake, and changes with what is typed after that.
for (const [id, field] of Object.entries(fields)) {
  field.on('blur', () => field.metadata.empty || showProblem(id));
  field.on('change', () => placeOf(id).textContent === '' || showProblem(id));
}

async function post(url, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const result = await response.json();
  if (!response.ok) throw new Error(result.detail);
  return result;
}

/** The session can do nothing until the shop's server has authorized it. The vault takes the card out of the fields. */
async function pay() {
  const { sessionKey, nonce } = await vault.sessions.create();
  await post('/checkout-session', { nonce });
  const data = { number, expiration_month: date.month(), expiration_year: date.year(), cvc: code };
  const token = await vault.tokens.create({ type: 'card', data }, { apiKey: sessionKey });
  return post('/orders', { token_id: token.id });
}

document.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const [wrong] = Object.keys(fields).filter(showProblem);
  if (wrong !== undefined) {
    fields[wrong].focus();
    return;
  }
  try {
    const { card } = await pay();
    status.textContent = `Thank you. You paid with ${card}.`;
  } catch (error) {
    status.textContent = `That did not work: ${error.message}`;
  }
});
