import { CopyBlock } from '../../parts/copy-block';

/** What to do in a vault without a token. */
export function FirstToken() {
  const command = `curl -sS ${location.origin}/tokens \\
  -H 'BT-API-KEY: <key of a private application>' \\
  -H 'Content-Type: application/json' \\
  -d '{"type":"card","data":{"number":"4242424242424242","expiration_month":12,"expiration_year":2031}}'`;
  return (
    <section className="hint">
      <h2>Store your first card</h2>
      <p>Create an application, put its key into this line, and paste it into a terminal.</p>
      <CopyBlock label="Command that stores a card" text={command} />
    </section>
  );
}
