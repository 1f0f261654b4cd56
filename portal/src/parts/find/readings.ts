/** How pasted text can be read. Readings that need the log or another page are links; the rest is one search. */
export interface Readings {
  /** The search over tokens. */
  readonly query: string;
  /** What the search tries, in words. */
  readonly tried: readonly string[];
  /** Four digits that a card or bank account may end in, which no search index knows by default. */
  readonly lastFour: string | undefined;
  /** True if the text may be token data, and must not become part of an address. */
  readonly isSecret: boolean;
  readonly isId: boolean;
  readonly isAddress: boolean;
}

const queryForm =
  /^(?:[\s(!-]|NOT\b)*(?:id|type|container|fingerprint|created_(?:by|at)|modified_(?:by|at)|data|metadata\.[^\s:]+):/;
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const addressForm = /^(?:\d{1,3}(?:\.\d{1,3}){3}|(?=.*:.*:)[0-9a-f:.]+)$/i;
const digitsOfCardMin = 12;

/** Returns true if the text is written in the query language. */
export function isQuery(text: string): boolean {
  return queryForm.test(text);
}

/** Reads text that somebody pasted. `metadataKeys` are the keys that tokens are known to have. */
export function readPasted(pasted: string, metadataKeys: readonly string[]): Readings {
  const text = pasted.trim();
  const isId = uuidForm.test(text);
  const digits = text.replaceAll(/[\s-]/g, '');
  const isCard = /^\d+$/.test(digits) && digits.length >= digitsOfCardMin;
  const value = quote(text);
  const lower = text.toLowerCase();
  const terms = [
    { name: 'an id', term: `id:${value}` },
    ...(isId ? [] : [{ name: 'a fingerprint', term: `fingerprint:${value}` }]),
    ...metadataKeys.map((key) => ({ name: `metadata “${key}”`, term: `metadata.${escape(key)}:${value}` })),
    ...(isId ? [] : [{ name: 'a value of a search index', term: toData([text, lower, ...(isCard ? [digits] : [])]) }]),
  ];
  const lastFour = /^(?:[•*xX\s-]*)(\d{4})$/.exec(text)?.[1];
  return {
    query: terms.map(({ term }) => term).join(' OR '),
    tried: [...terms.map(({ name }) => name), ...(lastFour === undefined ? [] : ['the last four digits'])],
    lastFour,
    isSecret: !isId,
    isId,
    isAddress: addressForm.test(text),
  };
}

function toData(values: readonly string[]): string {
  return [...new Set(values)].map((value) => `data:${quote(value)}`).join(' OR ');
}

export function quote(value: string): string {
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

export function escape(name: string): string {
  return name.replaceAll(/[\s()":\\*?]/g, String.raw`\$&`);
}
