import { expect, it } from 'vitest';
import { toShownName } from './shown-name.ts';

it.each([
  ['Key at the office', 'Key at the office'],
  ['  two \n lines ', 'two lines'],
  ['a\u202Eb\u200Bc\u0000d', 'abcd'],
  ['<b>"bold"</b>', '<b>"bold"</b>'],
  ['🔑'.repeat(61), '🔑'.repeat(60)],
  ['', undefined],
  [' \u200B ', undefined],
])('%j is stored as %j', (text, name) => expect(toShownName(text)).toBe(name));
