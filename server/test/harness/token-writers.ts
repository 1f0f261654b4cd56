import type { TestResponse, TestVault } from './test-vault.ts';
import { TokenEndpoints } from './token-endpoints.ts';

export type TokenFields = Readonly<Record<string, unknown>>;

/** Returns a token with these fields and the required ones. */
export function toWholeToken(fields: TokenFields): { readonly type: unknown; readonly data: unknown } {
  return { type: 'token', data: { name: 'Ada' }, ...fields };
}

/** Returns every request that accepts the fields of a token, by name. */
export function tokenWriters(vault: TestVault, key: string) {
  const tokens = new TokenEndpoints(vault, key);
  return {
    create: (fields: TokenFields) => tokens.create(toWholeToken(fields)),
    tokenize: (fields: TokenFields) =>
      vault.request('POST', '/tokenize', { key, body: { place: toWholeToken(fields) } }),
    patch: async (fields: TokenFields) => {
      const { data, type } = toWholeToken(fields);
      const { id } = await tokens.make({ type, data: type === 'card' ? { number: '4242424242424242' } : data });
      return tokens.patch(id, fields);
    },
  } satisfies Readonly<Record<string, (fields: TokenFields) => Promise<TestResponse>>>;
}
