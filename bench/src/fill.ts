import type { BenchVault } from './bench-vault.ts';
import { ProgressBar } from './progress-bar.ts';

const tokensPerRequest = 1_000;
const requestsAtOnce = 4;
/** Every customer has this many tokens, however large the vault is. */
const tokensPerCustomer = 20;

/** The customer of the n-th token. */
export function customerOf(index: number): string {
  return `customer-${Math.floor(index / tokensPerCustomer)}`;
}

/** The value that finds the n-th token by its search index. */
export function emailOf(index: number): string {
  return `person-${index}@example.com`;
}

/** The n-th token: an id of its own, a search index, a metadata pair, about 700 bytes as a row. */
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

/** Fills a vault through its own API up to a number of tokens, so that rows are what the product writes. */
export async function fill(vault: BenchVault, total: number): Promise<void> {
  const progress = new ProgressBar('Filling', total);
  const starts = Array.from({ length: Math.ceil(total / tokensPerRequest) }, (_, batch) => batch * tokensPerRequest);
  let done = 0;
  const work = async () => {
    for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
      const count = Math.min(tokensPerRequest, total - start);
      const first = start;
      await vault.request(
        'POST',
        '/tokenize',
        Array.from({ length: count }, (_, offset) => tokenOf(first + offset)),
      );
      done += count;
      progress.show(done);
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, work));
}
