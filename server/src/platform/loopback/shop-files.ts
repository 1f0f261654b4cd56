import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The folder into which `npm run build` puts the page of the shop. It is next to `src/` and `dist/`, so the same path
 * works for both.
 */
const builtShop = path.resolve(import.meta.dirname, '../../../assets/elements-demo');

/** The script of the card fields, and its expected hash. */
export interface ClientScript {
  readonly url: string;
  readonly integrity: string;
}

/** The values that the page of the shop needs. */
interface ShopPageParts {
  readonly client: ClientScript;
  readonly publicKey: string;
}

/** The built page of the shop. */
export interface ShopFiles {
  readonly page: (parts: ShopPageParts) => string;
  readonly script: string;
  readonly style: string;
  readonly typeface: Buffer;
}

/** Returns undefined in a checkout that has not been built. */
export function readShopFiles(folder = builtShop): ShopFiles | undefined {
  const names = ['index.html', 'shop.js', 'shop.css'];
  const typeface = path.join(folder, 'inter.woff2');
  if (![...names, 'inter.woff2'].every((name) => existsSync(path.join(folder, name)))) return undefined;
  const [page = '', script = '', style = ''] = names.map((name) => readFileSync(path.join(folder, name), 'utf8'));
  return { page: (parts) => fill(page, parts), script, style, typeface: readFileSync(typeface) };
}

function fill(page: string, { client, publicKey }: ShopPageParts): string {
  const values = { CLIENT_URL: client.url, CLIENT_INTEGRITY: client.integrity, PUBLIC_KEY: publicKey };
  return Object.entries(values).reduce((text, [name, value]) => text.replace(`%${name}%`, () => escape(value)), page);
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
