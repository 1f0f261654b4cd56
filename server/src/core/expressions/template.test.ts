import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json/json-value.ts';
import { EvaluationBudget } from './evaluation-budget.ts';
import type { ExpressionTools } from './expression-tools.ts';
import { compileTemplate, evaluateTemplate, evaluateTemplateAsText } from './template.ts';

const tools: ExpressionTools = { hmac: () => new Uint8Array(), randomInt: () => 0 };

const data = {
  number: '4242424242424242',
  month: 12,
  name: { first: 'John', 'last name': 'Doe' },
  list: ['a', { b: 'c' }],
  isActive: true,
  nothing: null,
  'card-number': 'hyphen',
  '0': 'zero',
};
const evaluate = (text: string, scope: Record<string, JsonValue> = { data }) =>
  evaluateTemplate(compileTemplate(text), scope, tools);

describe('template', () => {
  it.each<[string, JsonValue]>([
    ['', ''],
    ['plain', 'plain'],
    ['{{ data.month }}', 12],
    ['{{data.month}}', 12],
    ['{{\n\tdata.month\r\n}}', 12],
    ['{{ data.isActive }}', true],
    ['{{ data.nothing }}', null],
    ['{{ data.name }}', { first: 'John', 'last name': 'Doe' }],
    ['{{ data.list }}', ['a', { b: 'c' }]],
    [' {{ data.month }}', ' 12'],
    ['{{ data.month }}{{ data.month }}', '1212'],
    ['{{ data.name.first }} {{ data.nothing }}!', 'John !'],
    ['{{ data.missing.deeper }}', null],
    ['<{{ data.missing }}>', '<>'],
    ['<{{ data.list }}>', '<["a",{"b":"c"}]>'],
    ['{{ metadata.key }}', null],
    ['{{ other }}', null],
    ["{{ data['number'] | last4 }}", '4242'],
    ['{{ data["name"]["last name"] }}', 'Doe'],
    ["{{ data[ 'month' ] }}", 12],
    ['{{ data.list.0 }}', 'a'],
    ['{{ data.list[1].b }}', 'c'],
    ['{{ data.list[9] }}', null],
    ['{{ data.list.00 }}', null],
    ['{{ data.list.length }}', null],
    ['{{ data.list.size }}', null],
    ['{{ data.number.length }}', null],
    ['{{ data.number.0 }}', null],
    ['{{ data.0 }}', 'zero'],
    ['{{ data.card-number }}', 'hyphen'],
    ['{{ data.number|reveal_last:4,"#" }}', '############4242'],
    ["{{ data.number | reveal_last : 4 , '#' }}", '############4242'],
    ["{{ data.number | reveal_last: '4' }}", 'XXXXXXXXXXXX4242'],
    ['{{ data.number | append: "}}" }}', '4242424242424242}}'],
    ["{{ data.number | append: '{{ data }}' | last4 }}", 'a }}'],
    ['{{ data.month }}}', '12}'],
    ['}} { { {', '}} { { {'],
    ['{% if data %}', '{% if data %}'],
  ])('%j yields %j', (text, expected) => {
    expect(evaluate(text)).toEqual(expected);
  });

  it.each<[string, JsonValue]>([
    ['{{ data.number, reveal_last: 4 }}', 'XXXXXXXXXXXX4242'],
    ['{{ data.number , last4 }}', '4242'],
    ["{{ data.number | reveal_last: 4, '#', last4 }}", 'wrong-argument-count'],
    ['{{ data.number | slice: 0, 8, reveal_last: 4 }}', 'XXXX4242'],
    ["{{ data.number | slice: 0, 8 , append: 'x' }}", '42424242x'],
  ])('reads a comma before a filter as a pipe in %j, so that its mask applies', (text, expected) => {
    const outcome = () => evaluate(text);
    if (expected === 'wrong-argument-count') expect(outcome).toThrow(expect.objectContaining({ reason: expected }));
    else expect(outcome()).toBe(expected);
  });

  it.each([
    ['{{', 'unclosed-expression', 2],
    ['{{ data', 'unclosed-expression', 7],
    ['{{ data }', 'malformed-expression', 8],
    ['text {{ data.number | reveal_last: 4', 'unclosed-expression', 36],
    ["{{ data | append: 'x }}", 'unclosed-quote', 19],
    ['{{ data | append: "x\' }}', 'unclosed-quote', 19],
    ["{{ data['a }}", 'unclosed-quote', 9],
    ['{{}}', 'empty-expression', 2],
    ['{{   }}', 'empty-expression', 5],
    ['{{ | last4 }}', 'malformed-expression', 3],
    ['{{{ data }}}', 'malformed-expression', 2],
    ['{{- data -}}', 'malformed-expression', 3],
    ["{{ 'text' }}", 'malformed-expression', 3],
    ['{{ 4 }}', 'malformed-expression', 4],
    ['{{ data. }}', 'malformed-expression', 8],
    ['{{ data..a }}', 'malformed-expression', 8],
    ['{{ data[] }}', 'malformed-expression', 8],
    ['{{ data[a] }}', 'malformed-expression', 9],
    ['{{ data[-1] }}', 'malformed-expression', 10],
    ['{{ data[0 }}', 'malformed-expression', 10],
    ['{{ data number }}', 'malformed-expression', 8],
    ['{{ data.number reveal_last: 4 }}', 'malformed-expression', 15],
    ['{{ data.number | reveal_last 4 }}', 'wrong-argument-count', 17],
    ['{{ data.number | last4 4 }}', 'malformed-expression', 23],
    ['{{ data.number | }}', 'malformed-expression', 17],
    ['{{ data.number | | last4 }}', 'malformed-expression', 17],
    ['{{ data.number, }}', 'malformed-expression', 16],
    ['{{ data.number | reveal_last: }}', 'malformed-expression', 30],
    ['{{ data.number | reveal_last: 4, }}', 'malformed-expression', 33],
    ['{{ data.number | reveal_last: 4 5 }}', 'malformed-expression', 32],
    ["{{ data.number | reveal_last: 4 '#' }}", 'malformed-expression', 32],
    ['{{ data.number: reveal_last }}', 'malformed-expression', 14],
    ['{{ data.number | card_mask: reveal_bin: true }}', 'bad-argument', 17],
    ["{{ data.number | append: suffix: 'x' }}", 'malformed-expression', 31],
    ['{{ data.number | nosuch }}', 'unknown-filter', 17],
    ['{{ data.number, nosuch: 4 }}', 'unknown-filter', 16],
    ['{{ data.number | card_mask: true, reveal_last4: true }}', 'unknown-filter', 34],
    ['{{ data.a | append: data.b }}', 'path-as-argument', 20],
    ['{{ data.a | append: metadata }}', 'path-as-argument', 20],
    [`{{ data${'.a'.repeat(17)} }}`, 'path-too-deep', 41],
    [`{{ data${'| last4 '.repeat(9)} }}`, 'too-many-filters', 72],
    ['{{a}}'.repeat(65), 'too-many-expressions', 320],
    ['a'.repeat(1_001), 'text-too-long', 1_000],
  ])('refuses %j as %s', (text, reason, offset) => {
    expect(() => compileTemplate(text)).toThrow(expect.objectContaining({ name: 'ExpressionError', reason, offset }));
  });

  it('takes what lies just within the limits', () => {
    expect(compileTemplate(`{{ data${'.a'.repeat(16)} }}`).expressionCount).toBe(1);
    expect(compileTemplate(`{{ data${'| last4 '.repeat(8)} }}`).expressionCount).toBe(1);
    expect(compileTemplate('{{a}}'.repeat(64)).expressionCount).toBe(64);
    expect(compileTemplate('a'.repeat(1_000)).expressionCount).toBe(0);
  });

  it('takes a shorter or longer limit from the caller, a single expression staying within its own', () => {
    const reason = (text: string, lengthMax: number) => () => compileTemplate(text, { lengthMax });
    expect(reason('a'.repeat(401), 400)).toThrow(expect.objectContaining({ reason: 'text-too-long' }));
    expect(reason('a'.repeat(4_000), 4_000)).not.toThrow();
    expect(reason(`{{${' '.repeat(996)}data}}`, 4_000)).not.toThrow();
    expect(reason(`{{${' '.repeat(997)}data}}`, 4_000)).toThrow(
      expect.objectContaining({ reason: 'expression-too-long' }),
    );
  });

  it('puts metadata in scope where the caller does', () => {
    expect(evaluate('{{ data }}|{{ metadata.k }}', { data: 'x', metadata: { k: 'v' } })).toBe('x|v');
  });

  it('does not read a value as an expression', () => {
    expect(evaluate('{{ data }}', { data: '{{ metadata }}', metadata: 'secret' })).toBe('{{ metadata }}');
    expect(evaluate('{{ data }}{{ data }}', { data: '{{ metadata', metadata: 'secret' })).toBe(
      '{{ metadata{{ metadata',
    );
  });

  it('yields text on demand, with null as nothing', () => {
    const text = (template: string) => evaluateTemplateAsText(compileTemplate(template), { data }, tools);
    expect(text('{{ data.month }}')).toBe('12');
    expect(text('{{ data.nothing }}')).toBe('');
    expect(text('{{ data.list }}')).toBe('["a",{"b":"c"}]');
  });
});

describe('evaluation budget', () => {
  const large = 'a'.repeat(60_000);
  const reasonFor = (text: string, value: JsonValue, budget?: EvaluationBudget) => () =>
    evaluateTemplate(compileTemplate(text), { data: value }, tools, budget);

  it.each<[string, JsonValue, string]>([
    ["{{ data | pad_left: 999999999, '0' }}", 'x', 'output-too-large'],
    ["{{ data | pad_right: 70000, '😀' }}", 'x', 'output-too-large'],
    ["{{ data | replace: 'a', 'bb' }}", large, 'output-too-large'],
    ['{{ data | upcase }}', 'ß'.repeat(40_000), 'output-too-large'],
    ["{{ data | split: '' }}", 'a'.repeat(65_537), 'output-too-large'],
    ['{{ data }}{{ data }}', large, 'output-too-large'],
    ['{{ data }}', 'a'.repeat(65_537), 'output-too-large'],
    ['{{ data }}', [large, large], 'output-too-large'],
    ['{{ data }}', Array.from({ length: 300_000 }, () => 0), 'output-too-large'],
    ['{{ data | stringify }}', { a: [large, large] }, 'output-too-large'],
    ['x{{ data }}', { a: [large, large] }, 'output-too-large'],
    ['{{ data | stringify }}', '\u0001'.repeat(60_000), 'none'],
    ['x{{ data }}', ['\u0001'.repeat(60_000)], 'output-too-large'],
    [`{{ data ${'| upcase '.repeat(8)} | last4 }}`.replace('| upcase ', ''), large, 'work-too-large'],
    ['{{ data | last4 }}', 'a'.repeat(300_000), 'work-too-large'],
    ['{{ data | slice: 0, 300000 | first }}', Array.from({ length: 300_000 }, () => 0), 'work-too-large'],
    ["{{ data | json: '$[*]' }}", Array.from({ length: 300_000 }, () => 0), 'work-too-large'],
    [
      "{{ data | json: '$[*][*].a' }}",
      Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => 0)),
      'work-too-large',
    ],
    ['{{ data | first }}', Array.from({ length: 300_000 }, () => 0), 'none'],
    ["{{ data | json: '$[299999]' }}", Array.from({ length: 300_000 }, () => 0), 'none'],
  ])('%j is bounded (%#)', (text, value, reason) => {
    if (reason === 'none') expect(reasonFor(text, value)).not.toThrow();
    else expect(reasonFor(text, value)).toThrow(expect.objectContaining({ reason }));
  });

  it('is raised by a caller that expects more, and shared between evaluations', () => {
    const budget = new EvaluationBudget({ outputCharactersMax: 130_000 });
    expect(reasonFor('{{ data }}', large, budget)).not.toThrow();
    expect(reasonFor('{{ data | stringify }}', large, budget)).not.toThrow();
    expect(reasonFor('{{ data }}', large, budget)).toThrow(expect.objectContaining({ reason: 'output-too-large' }));
  });
});
