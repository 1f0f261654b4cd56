import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJsonText } from '../json/json-text.ts';
import { parseJson } from '../json/parse-json.ts';
import { ExpressionError } from './expression-error.ts';
import type { ExpressionTools } from './expression-tools.ts';
import { compileMask, evaluateMask } from './mask.ts';
import { compileReferences } from './reference-text.ts';
import { compileTemplate, evaluateTemplate } from './template.ts';

const tools: ExpressionTools = { hmac: () => new Uint8Array(32), randomInt: (maxExclusive) => maxExclusive - 1 };

const inheritedNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  '__lookupGetter__',
  'toLocaleString',
  'length',
  'map',
  'at',
  'charAt',
];

/** Returns the result, or the error message. Anything thrown other than an ExpressionError fails the test. */
const outcomeOf = (action: () => string): string => {
  try {
    return action();
  } catch (error) {
    if (error instanceof ExpressionError) return `${error.message} ${JSON.stringify(error)}`;
    throw error;
  }
};

/** The guaranteed limit, without a safety factor. */
const stallMillisecondsMax = 50;
const runsMax = 24;

/**
 * Returns the processor time of this thread, as the shortest of a few runs, because other work on the machine and
 * garbage from earlier runs only add to it. Stops at the first run that is short enough.
 */
const millisecondsOf = (action: () => unknown, enough = stallMillisecondsMax): number => {
  let shortest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runsMax && shortest >= enough; run += 1) {
    const before = process.threadCpuUsage();
    outcomeOf(() => String(action() === undefined));
    const { user, system } = process.threadCpuUsage(before);
    shortest = Math.min(shortest, (user + system) / 1_000);
  }
  return shortest;
};

const megabyteOf = (unit: string) => {
  const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
  // Reading one character makes the engine flatten the repeated text before the clock starts.
  expect(text.charAt(text.length - 1)).not.toBe('');
  return text;
};

describe('inherited names', () => {
  it.each(inheritedNames)('%s leads nowhere', (name) => {
    const scope = { data: { list: ['a'], text: { own: 'x' }, word: 'w', number: 1 } };
    const evaluate = (path: string) => evaluateTemplate(compileTemplate(`{{ ${path} }}`), scope, tools);

    for (const parent of ['data.list', 'data.word', 'data.number', 'data.text', 'data.missing']) {
      expect(evaluate(`${parent}.${name}`)).toBeNull();
      expect(evaluate(`${parent}['${name}']`)).toBeNull();
      expect(evaluate(`${parent}.${name}.${name}`)).toBeNull();
      expect(evaluate(`${parent} | json: '$.${name}'`)).toBeNull();
    }
    expect(evaluate(name)).toBeNull();
    expect(evaluate(`${name}.${name}`)).toBeNull();
  });

  it.each(inheritedNames)('%s is found where it is data', (name) => {
    const data = parseJson(`{"${name}":{"${name}":"own"}}`, { depthMax: 4 });
    expect(evaluateTemplate(compileTemplate(`{{ data.${name}.${name} }}`), { data }, tools)).toBe('own');
  });

  it('are never reached by any text', () => {
    const inherit = <Value extends object>(value: Value): Value =>
      Object.setPrototypeOf(value, { inherited: 'INHERITED', 0: 'INHERITED' }) as Value;
    const scope = inherit({ data: inherit({ a: ['x', inherit({ b: 1 })], c: inherit({}) }) });

    const marks = ['{{ ', ' }}', '.', '[', ']', "'", '"', ' | ', ': ', ', ', '0', '$', '*', 'a', 'b', 'c', 'data'];
    const filters = ['json', 'split', 'first', 'last4', 'reveal_last', 'stringify', 'append', 'slice', 'to_string'];
    const unit = fc.constantFrom(...marks, ...filters, ...inheritedNames, 'inherited');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 20 }), (units) => {
        const tail = units.join('');
        for (const text of [
          tail,
          `{{ ${tail} }}`,
          `{{ data.${tail} }}`,
          `{{ data.c.${tail} }}`,
          `{{ data | ${tail} }}`,
        ]) {
          expect(outcomeOf(() => toJsonText(evaluateTemplate(compileTemplate(text), scope, tools)))).not.toContain(
            'INHERITED',
          );
        }
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('arbitrary text', () => {
  it('is compiled and evaluated, or refused with an ExpressionError', () => {
    const marks = Array.from('{}|,:\'"[].$*# \tda0X-');
    const unit = fc.constantFrom(...marks, '{{', '}}', 'data', 'reveal_last: 4', '😀', '\u0000');
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 80 }), fc.string({ unit, maxLength: 80 }));
    fc.assert(
      fc.property(text, fc.jsonValue(), (source, json) => {
        const data = parseJson(JSON.stringify(json), { depthMax: 64 });
        outcomeOf(() => toJsonText(evaluateTemplate(compileTemplate(source), { data }, tools)));
        outcomeOf(() => String(compileReferences(source).referenceCount));
        outcomeOf(() => String(compileReferences(source, { foreignBraces: 'keep' }).referenceCount));
      }),
      { numRuns: 5_000 },
    );
  });

  it('never appears in a message, nor does a value', () => {
    const secret = 's3cr3t';
    const texts = [
      `{{ ${secret} | ${secret} }}`,
      `{{ data.${secret} ${secret} }}`,
      `{{ data | append: '${secret} }}`,
      `{{ data | hmac: '${secret}', '${secret}' | to_base16 }}`,
      `{{ data | json: '${secret}' }}`,
      `{{ data | reveal_last: ${secret} }}`,
      `{{ data | to_number }}`,
      `{{ data | first }}`,
      `{{ data[${secret}] }}`,
      `{{ data ${secret}`,
    ];
    for (const text of texts) {
      const message = outcomeOf(() => toJsonText(evaluateTemplate(compileTemplate(text), { data: secret }, tools)));
      expect(message).toContain('at character');
      expect(message).not.toContain(secret);
    }
  });
});

describe('a megabyte of hostile text', () => {
  it.each([
    '{',
    '}',
    '{{',
    '}}',
    '{{ ',
    ' }}',
    '{{}}',
    '{{ }} ',
    '{{a}}',
    '{{a ',
    '{{a|',
    '{{a| ',
    "{{a|append:'",
    '{{"',
    "{{'",
    '{{a}',
    '{ {',
    '{{\n',
    '{{é',
    '{{日',
    '{{token:',
    '{{ token: ',
    '{{a|b:c,',
    '\\',
    '"',
    ' ',
    '{%',
    '{{{}}}',
    '{{-',
    `{{${' '.repeat(4_000)}`,
    `{{${' '.repeat(990)}a `,
    `{{${'a'.repeat(995)} `,
    `{{${'a'.repeat(390)}}}`,
    `{{a${'|last4'.repeat(8)}}}`,
    `{{a|append:'${'b'.repeat(980)}'}}`,
  ])('%j does not stall the loop', (unit) => {
    const text = megabyteOf(unit);
    expect(millisecondsOf(() => compileTemplate(text), 5)).toBeLessThan(5);
    expect(millisecondsOf(() => compileTemplate(text, { lengthMax: 2_000_000 }))).toBeLessThan(stallMillisecondsMax);
    expect(millisecondsOf(() => compileReferences(text))).toBeLessThan(stallMillisecondsMax);
    expect(millisecondsOf(() => compileReferences(text, { foreignBraces: 'keep' }))).toBeLessThan(stallMillisecondsMax);
  });

  it.each([
    'stringify',
    'to_number',
    'to_boolean',
    'last4',
    'reveal_last: 4',
    'reveal: 1, 1',
    'card_mask: true, true',
    'card_bin',
    'alias_card',
    'alias_preserve_format',
    'alias_preserve_length',
    'upcase',
    "split: ''",
    "split: 'a'",
    'slice: 0, 9',
    "remove: 'a'",
    "replace: 'a', 'b'",
    "pad_left: 65000, 'x'",
    "json: '$[*]'",
    "append: 'x'",
  ])('as data, under a mask of %s, does not stall the loop', (chain) => {
    const filters = Array.from({ length: 8 }, () => chain).join(' | ');
    const mask = compileMask(Array.from({ length: 64 }, () => `{{ data | ${filters} }}`));
    for (const unit of ['a', '0', '-', ' ', '日', '😀']) {
      for (const length of [1_000_000, 130_000, 32_000, 400]) {
        const data = unit.repeat(length / unit.length);
        expect(millisecondsOf(() => evaluateMask(mask, { data }, tools))).toBeLessThan(stallMillisecondsMax);
      }
    }
  });

  it('as a wide or deep object does not stall the loop', () => {
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 1]));
    const list = Array.from({ length: 500_000 }, () => 1);
    for (const text of ['{{ data }}', '{{ data | stringify }}', "{{ data | json: '$.*' }}", 'x{{ data }}']) {
      const mask = compileMask(Array.from({ length: 64 }, () => text));
      for (const data of [wide, list]) {
        expect(millisecondsOf(() => evaluateMask(mask, { data }, tools))).toBeLessThan(stallMillisecondsMax);
      }
    }
  });
});
