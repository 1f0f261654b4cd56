import { describe, expect, it } from 'vitest';
import { ExactNumber, type JsonValue } from '../json/json-value.ts';
import { EvaluationBudget } from './evaluation-budget.ts';
import type { ExpressionTools } from './expression-tools.ts';
import { evaluateReferences, type ReferenceSource, renderReferences } from './reference-evaluation.ts';
import { compileReferences } from './reference-text.ts';

const tools: ExpressionTools = { hmac: () => new Uint8Array(), randomInt: () => 0 };

const tokens = new Map<string, JsonValue>([
  ['card', { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }],
  ['ssn', '111-22-3333'],
  ['exact', new ExactNumber('12345678901234567890')],
  ['empty', null],
  ['hostile', '{{ ssn }}'],
  ['large', 'a'.repeat(10_000)],
]);
const source: ReferenceSource = {
  find: ({ kind, tokenId }) => {
    const data = tokens.get(tokenId);
    return kind === 'data' || data === undefined ? data : { id: tokenId, data };
  },
  tools,
};
const evaluate = (text: string) => evaluateReferences(compileReferences(text), source);

describe('evaluateReferences', () => {
  it.each<[string, JsonValue]>([
    ['{{ card }}', { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }],
    ["{{ card | json: '$.expiration_month' }}", 12],
    ["{{ token: card | json: '$.data.number' }}", '4242424242424242'],
    ['{{ token: ssn }}', { id: 'ssn', data: '111-22-3333' }],
    ["{{ card | json: '$.expiration_month' | pad_left: 2, '0' }}", '12'],
    ["{{ card | card_exp: 'MM/YY' }}", '12/30'],
    ['{{ exact }}', new ExactNumber('12345678901234567890')],
    ['{{ empty }}', null],
    ['no. {{ exact }}', 'no. 12345678901234567890'],
    ['<{{ empty }}>', '<>'],
    ['{{ ssn }} {{ ssn | last4 }}', '111-22-3333 3333'],
    ['card={{ card }}', 'card={"number":"4242424242424242","expiration_month":12,"expiration_year":2030}'],
    ['plain', 'plain'],
  ])('%j becomes %j', (text, expected) => {
    expect(evaluate(text)).toEqual(expected);
  });

  it('does not look for references in what it puts in', () => {
    expect(evaluate('{{ hostile }}')).toBe('{{ ssn }}');
    expect(evaluate('{{ hostile }}!')).toBe('{{ ssn }}!');
  });

  it('refuses a token that was not found', () => {
    expect(() => evaluate('x {{ missing }}')).toThrow(
      expect.objectContaining({ reason: 'unresolved-reference', offset: 2 }),
    );
  });

  it('refuses a filter that does not fit the value', () => {
    expect(() => evaluate('{{ card | last4 }}')).toThrow(expect.objectContaining({ reason: 'wrong-value' }));
  });

  it('keeps within one budget over several texts', () => {
    const text = compileReferences('{{ large }}');
    const shared = { ...source, budget: new EvaluationBudget({ outputCharactersMax: 25_000 }) };
    evaluateReferences(text, shared);
    renderReferences(text, shared);
    expect(() => evaluateReferences(text, shared)).toThrow(expect.objectContaining({ reason: 'output-too-large' }));
  });

  it('does not multiply a large value', () => {
    const text = compileReferences('{{ large }}'.repeat(10));
    expect(() => evaluateReferences(text, source)).toThrow(expect.objectContaining({ reason: 'output-too-large' }));
  });
});

describe('renderReferences', () => {
  it('yields text even for a lone reference', () => {
    expect(renderReferences(compileReferences('{{ exact }}'), source)).toBe('12345678901234567890');
    expect(renderReferences(compileReferences('{{ empty }}'), source)).toBe('');
  });

  it('encodes what it puts in and nothing else', () => {
    const text = compileReferences('/a b/{{ token: ssn }}?x={{ ssn }}');
    expect(renderReferences(text, source, encodeURIComponent)).toBe(
      '/a b/%7B%22id%22%3A%22ssn%22%2C%22data%22%3A%22111-22-3333%22%7D?x=111-22-3333',
    );
  });
});
