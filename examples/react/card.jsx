import { StrictMode, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import {
  CardExpirationDateElement,
  CardNumberElement,
  StrongroomProvider,
  useStrongroom,
} from 'strongroom-elements/react';

function YourCard({ publicKey, elementsUrl }) {
  const { strongroom: vault, error } = useStrongroom(publicKey, { elementsUrl });
  const [status, setStatus] = useState('');
  const [number, date] = [useRef(null), useRef(null)];

  async function show() {
    const { sessionKey, nonce } = await vault.sessions.create();
    const headers = { 'content-type': 'application/json' };
    const response = await fetch('/card-session', { method: 'POST', headers, body: JSON.stringify({ nonce }) });
    const { token_id, detail } = await response.json();
    if (!response.ok) throw new Error(detail);
    const { data } = await vault.tokens.retrieve(token_id, { apiKey: sessionKey });
    number.current.setValue(data.number);
    date.current.setValue({ month: data.expiration_month, year: data.expiration_year });
  }

  function click() {
    show().then(
      () => setStatus('Only you can see it.'),
      (reason) => setStatus(`That did not work: ${reason.message}`),
    );
  }

  return (
    <StrongroomProvider strongroom={vault}>
      <h1>Your card</h1>
      <label htmlFor="number">Card number</label>
      <div className="field">
        <CardNumberElement id="number" ref={number} readOnly enableCopy />
      </div>
      <label htmlFor="date">Expires</label>
      <div className="field">
        <CardExpirationDateElement id="date" ref={date} readOnly />
      </div>
      <button disabled={vault === undefined} onClick={click}>
        Show
      </button>
      <p role="status">{error === undefined ? status : error.message}</p>
    </StrongroomProvider>
  );
}

const settings = await (await fetch('/settings')).json();
createRoot(document.getElementById('page')).render(
  <StrictMode>
    <YourCard {...settings} />
  </StrictMode>,
);
