import { describe, expect, it } from 'vitest';
import { Sensitive } from '../identity/sensitive.ts';
import { toJsonText } from '../json/json-text.ts';
import { ExactNumber, type JsonValue } from '../json/json-value.ts';
import { finish, type Steps } from '../steps/steps.ts';
import { mapPiecesSteps } from '../text/text-pieces.ts';
import { EvaluationBudget } from './evaluation-budget.ts';
import type { ExpressionTools } from './expression-tools.ts';
import { type Encode, referencesJsonSteps, type ReferenceSource, referencesTextSteps } from './reference-evaluation.ts';
import { compileReferences, type Reference } from './reference-text.ts';

const tools: ExpressionTools = { hmac: () => new Uint8Array(), randomInt: () => 0 };

const tokens = new Map<string, JsonValue>([
  ['card', { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }],
  ['ssn', '111-22-3333'],
  ['exact', new ExactNumber('12345678901234567890')],
  ['empty', null],
  ['hostile', '{{ ssn }}'],
  ['large', 'a'.repeat(10_000)],
]);
const find = ({ kind, tokenId }: Reference): JsonValue | undefined => {
  const data = tokens.get(tokenId);
  return kind === 'data' || data === undefined ? data : { id: tokenId, data };
};
const makeSource = (budget = new EvaluationBudget()): ReferenceSource => ({
  textOf(reference) {
    const value = find(reference);
    return value === undefined ? undefined : new Sensitive(toJsonText(value));
  },
  *valueOf(reference): Steps<Sensitive<JsonValue>> {
    yield;
    return new Sensitive(find(reference) ?? null);
  },
  tools,
  budget,
});
const evaluate = (text: string, source = makeSource()) =>
  finish(referencesJsonSteps(compileReferences(text), source)).reveal();
const render = (text: string, source = makeSource(), encode?: Encode) =>
  finish(referencesTextSteps(compileReferences(text), source, encode)).reveal();

describe('references as JSON', () => {
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
    expect(evaluate(text)).toBe(toJsonText(expected));
  });

  it('does not look for references in what it puts in', () => {
    expect(evaluate('{{ hostile }}')).toBe('"{{ ssn }}"');
    expect(evaluate('{{ hostile }}!')).toBe('"{{ ssn }}!"');
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
    const shared = makeSource(new EvaluationBudget({ outputCharactersMax: 25_000 }));
    evaluate('{{ large }}', shared);
    render('{{ large }}', shared);
    expect(() => evaluate('{{ large }}', shared)).toThrow(expect.objectContaining({ reason: 'output-too-large' }));
  });

  it('does not multiply a large value', () => {
    expect(() => evaluate('{{ large }}'.repeat(10))).toThrow(expect.objectContaining({ reason: 'output-too-large' }));
  });
});

describe('references as text', () => {
  it('yields text even for a lone reference', () => {
    expect(render('{{ exact }}')).toBe('12345678901234567890');
    expect(render('{{ empty }}')).toBe('');
  });

  it('encodes what it puts in and nothing else', () => {
    expect(
      render('/a b/{{ token: ssn }}?x={{ ssn }}', makeSource(), (value) => mapPiecesSteps(value, encodeURIComponent)),
    ).toBe('/a b/%7B%22id%22%3A%22ssn%22%2C%22data%22%3A%22111-22-3333%22%7D?x=111-22-3333');
  });
});
