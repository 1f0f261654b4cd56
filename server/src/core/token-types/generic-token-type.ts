import type { TokenType } from './token-type.ts';

export const genericTokenType: TokenType = {
  name: 'token',
  validate: () => undefined,
  defaultContainers: ['/general/high/'],
  defaultMask: undefined,
  defaultFingerprintExpression: '{{ data | stringify }}',
  defaultSearchIndexes: [],
};
