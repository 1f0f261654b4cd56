'use client';

import { useRef, useState } from 'react';
import {
  CardExpirationDateElement,
  CardNumberElement,
  CardVerificationCodeElement,
  StrongroomProvider,
  useStrongroom,
} from 'strongroom-elements/react';

async function post(url, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const result = await response.json();
  if (!response.ok) throw new Error(result.detail);
  return result;
}

export function Checkout({ publicKey, elementsUrl }) {
  const { strongroom: vault, error } = useStrongroom(publicKey, { elementsUrl });
  const [status, setStatus] = useState('');
  const [number, date, code] = [useRef(null), useRef(null), useRef(null)];

  async function pay() {
    const { sessionKey, nonce } = await vault.sessions.create();
    await post('/checkout-session', { nonce });
    const data = {
      number: number.current,
      expiration_month: date.current.month(),
      expiration_year: date.current.year(),
      cvc: code.current,
    };
    const token = await vault.tokens.create({ type: 'card', data }, { apiKey: sessionKey });
    return post('/orders', { token_id: token.id });
  }

  function submit(event) {
    event.preventDefault();
    pay().then(
      ({ card }) => setStatus(`Thank you. You paid with ${card}.`),
      (reason) => setStatus(`That did not work: ${reason.message}`),
    );
  }

  return (
    <StrongroomProvider strongroom={vault}>
      <h1>Checkout</h1>
      <form onSubmit={submit}>
        <label htmlFor="number">Card number</label>
        <div className="field">
          <CardNumberElement id="number" ref={number} />
        </div>
        <label htmlFor="date">Expires</label>
        <div className="field">
          <CardExpirationDateElement id="date" ref={date} />
        </div>
        <label htmlFor="code">Security code</label>
        <div className="field">
          <CardVerificationCodeElement id="code" ref={code} />
        </div>
        <button disabled={vault === undefined}>Pay</button>
      </form>
      <p role="status">{error === undefined ? status : error.message}</p>
    </StrongroomProvider>
  );
}
