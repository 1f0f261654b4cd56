// What every server of these examples sends with its pages.
import { readFile } from 'node:fs/promises';

const { ELEMENTS_URL, SHOP_KEY } = process.env;

/** What a page may load: its own files, and the card fields of the vault. */
export const policy = [
  `default-src 'none'`,
  `script-src 'self' ${ELEMENTS_URL}`,
  `style-src 'self'`,
  'img-src data:',
  `connect-src 'self' ${ELEMENTS_URL}`,
  `frame-src ${ELEMENTS_URL}`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** For pages that are built: the key is public. */
export const settings = { publicKey: SHOP_KEY, elementsUrl: ELEMENTS_URL };

/** Returns a page with the key, and with the script of the fields by its version and hash: a browser refuses any other. */
export async function renderPage(file) {
  const { version, files } = await (await fetch(`${ELEMENTS_URL}/elements/manifest.json`)).json();
  return (await readFile(file, 'utf8'))
    .replace('%CLIENT_URL%', `${ELEMENTS_URL}/elements/${version}/client.js`)
    .replace('%CLIENT_INTEGRITY%', files['client.js'])
    .replace('%PUBLIC_KEY%', SHOP_KEY);
}
