import { ExpressionError } from '../expression-error.ts';
import type { HmacAlgorithm } from '../expression-tools.ts';
import { type Filter, requireText } from './filter.ts';
import type { FilterArguments } from './filter-arguments.ts';

export const hmac: Filter = {
  effect: 'digest',
  // The filter requires two arguments because a single one could be either the algorithm or the key.
  argumentsMin: 2,
  argumentsMax: 2,
  bind(args) {
    const algorithm = parseAlgorithm(args);
    const key = args.text(1);
    if (key === '') args.refuse();
    return (input, context) => context.tools.hmac(algorithm, key, requireText(input, context));
  },
};

export const toBase64 = encodeFilter((bytes) => Buffer.from(bytes).toString('base64'));
export const toBase16 = encodeFilter((bytes) => Buffer.from(bytes).toString('hex').toUpperCase());

const algorithms = new Map<string, HmacAlgorithm>([
  ['', 'sha-256'],
  ['sha-1', 'sha-1'],
  ['sha-256', 'sha-256'],
  ['sha-512', 'sha-512'],
]);

function parseAlgorithm(args: FilterArguments): HmacAlgorithm {
  return algorithms.get(args.text(0, '').toLowerCase()) ?? args.refuse();
}

function encodeFilter(encode: (bytes: Uint8Array) => string): Filter {
  return {
    effect: 'encode',
    argumentsMin: 0,
    argumentsMax: 0,
    bind: () => (input, context) => {
      if (!(input instanceof Uint8Array)) throw new ExpressionError('bytes-expected', context.offset);
      return encode(input);
    },
  };
}
