import type { TestAnswer, TestVault } from './test-vault.ts';
import { TokenEndpoints } from './token-endpoints.ts';

export type TokenFields = Readonly<Record<string, unknown>>;

/** A token with these fields, and with what else it needs. */
export function toWholeToken(fields: TokenFields): { readonly type: unknown; readonly data: unknown } {
  return { type: 'token', data: { name: 'Ada' }, ...fields };
}

/** Every request in which the fields of a token come in, by name. */
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
  } satisfies Readonly<Record<string, (fields: TokenFields) => Promise<TestAnswer>>>;
}
