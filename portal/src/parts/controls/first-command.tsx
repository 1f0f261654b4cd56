import { CopyBlock } from './copy-block';

const card = { type: 'card', data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2031 } };

/** Shows a shell command that stores a card in this vault. */
export function FirstCommand() {
  const text = [
    `curl -sS ${location.origin}/tokens \\`,
    `  -H 'BT-API-KEY: <key of a private application>' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(card)}'`,
  ].join('\n');
  return <CopyBlock label="Command that stores a card" text={text} />;
}
