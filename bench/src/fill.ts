import { Progress } from '../../server/src/cli/terminal/progress.ts';
import type { BenchVault } from './bench-vault.ts';

const tokensPerRequest = 1_000;
const requestsAtOnce = 4;
/** The number of tokens per customer. It does not depend on the size of the vault. */
const tokensPerCustomer = 20;

/** Returns the id of the n-th token. Ids are distributed like the vault's random ids, but can be computed from n. */
export function tokenIdOf(index: number): string {
  const mixed = Math.imul(index ^ 0x5bd1e995, 0x9e3779b1) >>> 0;
  return `${mixed.toString(16).padStart(8, '0')}-token-${index}`;
}

/** Returns the customer of the n-th token. */
export function customerOf(index: number): string {
  return `customer-${Math.floor(index / tokensPerCustomer)}`;
}

/** Returns the value by which a search finds the n-th token. */
export function emailOf(index: number): string {
  return `person-${index}@example.com`;
}

/** Returns the n-th card, with a valid check digit. */
export function cardOf(index: number) {
  const digits = `4${String(index).padStart(14, '0')}`;
  return {
    id: `card-${index}`,
    type: 'card',
    data: { number: `${digits}${checkDigitOf(digits)}`, expiration_month: 12, expiration_year: 2030 },
  };
}

/** Returns the n-th token, with its own id, a search index and a metadata pair. Its row takes about 700 bytes. */
export function tokenOf(index: number) {
  return {
    id: `token-${index}`,
    type: 'token',
    data: { email: emailOf(index), name: `Person ${index}`, note: 'x'.repeat(200) },
    mask: { email: '{{ data.email | reveal_last: 4 }}' },
    metadata: { customer: customerOf(index) },
    search_indexes: ['{{ data.email }}'],
  };
}

/** Fills a vault with tokens through its own API, so that the product writes the rows. */
export async function fill(vault: BenchVault, total: number, make: (index: number) => object = tokenOf): Promise<void> {
  const progress = new Progress('Filling', true);
  const starts = Array.from({ length: Math.ceil(total / tokensPerRequest) }, (_, batch) => batch * tokensPerRequest);
  let done = 0;
  const work = async () => {
    for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
      const count = Math.min(tokensPerRequest, total - start);
      const first = start;
      await vault.request(
        'POST',
        '/tokenize',
        Array.from({ length: count }, (_, offset) => make(first + offset)),
      );
      done += count;
      progress.update(done, total);
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, work));
  progress.end();
}

/**
 * Returns the Luhn check digit, which makes the sum of all digits, with every second one doubled, a multiple of ten.
 */
function checkDigitOf(digits: string): number {
  const sum = [...digits].reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return (10 - (sum % 10)) % 10;
}
