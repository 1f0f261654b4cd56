import { describe, expect, it } from 'vitest';
import { toOneLine, withEscapedControls, withoutControls } from './one-line.ts';

const hostile = 'a\u001b[2J\u009b1m\u202eb\u2028c\u{e0041}';

describe('text of others', () => {
  it('is one line that controls no terminal', () => {
    expect(toOneLine(`x\nThe log matches.\t${hostile}`)).toBe('x?The log matches.?a?[2J?1m?b?c?');
    expect(toOneLine('Ünïcödé 漢字 🙂')).toBe('Ünïcödé 漢字 🙂');
  });

  it('keeps its lines where it has some', () => {
    expect(withoutControls(`x\n\ty\r${hostile}`)).toBe('x\n\ty?a?[2J?1m?b?c?');
  });

  it('means the same as JSON, without a character that a terminal would act on', () => {
    const json = withEscapedControls(JSON.stringify({ [hostile]: hostile }));
    expect(JSON.parse(json)).toEqual({ [hostile]: hostile });
    expect(json).toMatch(/^[\x20-\x7e]*$/);
  });
});
