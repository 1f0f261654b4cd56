import { describe, expect, it } from 'vitest';
import { requireOpaqueId } from './id-template.ts';
import { compileTemplate } from './template.ts';

const check = (text: string) => () => requireOpaqueId(compileTemplate(text));

describe('requireOpaqueId', () => {
  it.each([
    'tok_plain',
    '{{ data | alias_card }}',
    '{{ data.number | alias_card: true, true }}',
    "{{ data.number | alias_card: 'true', 'false' }}",
    '{{ data.number | alias_preserve_format: 0, 4 }}',
    '{{ data.number | alias_preserve_format: 6, 4 }}',
    '{{ data | alias_preserve_length: 8, 4 }}',
    'tok_{{ data | alias_preserve_length }}_{{ data | alias_preserve_format }}',
    "{{ data.email | split: '@' | first | alias_preserve_length: 2 }}",
    "{{ data | json: '$.number' | remove: '-' | alias_card: true }}",
    "{{ data | append: 'x' | alias_preserve_length }}",
    '{{ data | alias_preserve_length | upcase | slice: 0, 10 }}',
    "{{ data | hmac: 'sha-256', 'k' | to_base16 }}",
    "{{ data | stringify | hmac: 'sha-256', 'k' | to_base16 | downcase | slice: 0, 20 }}",
    '{{ data | alias_card: true }}-{{ data | alias_preserve_length }}',
  ])('takes %s', (text) => {
    expect(check(text)).not.toThrow();
  });

  it.each([
    ['the value itself', '{{ data }}'],
    ['the value beside an alias', '{{ data | alias_card }}{{ data }}'],
    ['a part of it', '{{ data | last4 }}'],
    ['its domain', "{{ data | split: '@' | first | alias_preserve_length }}@{{ data | split: '@' | last }}"],
    ['a mask of it', '{{ data | reveal_last: 4 }}'],
    ['its JSON', '{{ data | stringify }}'],
    ['metadata', '{{ metadata.name }}'],
    ['more than twelve characters', '{{ data | alias_preserve_length: 8, 5 }}'],
    ['fifteen of sixteen digits', '{{ data | alias_preserve_format: 15 }}'],
    ['two halves', '{{ data | alias_preserve_length: 8 }}{{ data | alias_preserve_length: 0, 8 }}'],
    ['only the revealed part', '{{ data | alias_preserve_length: 8 | slice: 0, 8 }}'],
    ['an alias of a longer value', "{{ data | append: 'x' | alias_preserve_length: 9 }}"],
    ['an alias of a padded value', "{{ data | pad_right: 20, 'x' | alias_preserve_length: 12 }}"],
    ['an alias of a stretched value', "{{ data | replace: 'a', 'aa' | alias_preserve_length: 12 }}"],
    ['an alias of its JSON', '{{ data | stringify | alias_preserve_length: 12 }}'],
    ['a revealing alias that is changed again', '{{ data | alias_card: true, true | upcase }}'],
  ])('refuses %s: %s', (_case, text) => {
    expect(check(text)).toThrow(expect.objectContaining({ name: 'ExpressionError', reason: 'plaintext-in-id' }));
  });
});
