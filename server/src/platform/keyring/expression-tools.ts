import { createHmac, randomInt } from 'node:crypto';
import type { ExpressionTools } from '../../core/expressions/expression-tools.ts';

/** The digests and random numbers that expressions can use. */
export const expressionTools: ExpressionTools = {
  hmac: (algorithm, key, message) => createHmac(algorithm.replace('-', ''), key).update(message, 'utf8').digest(),
  randomInt: (maxExclusive) => randomInt(maxExclusive),
};
