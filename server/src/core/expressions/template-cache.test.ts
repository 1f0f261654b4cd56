import { describe, expect, it } from 'vitest';
import { TemplateCache } from './template.ts';

describe('TemplateCache', () => {
  it('compiles a text once', () => {
    const cache = new TemplateCache();
    expect(cache.compile('{{ data }}')).toBe(cache.compile('{{ data }}'));
  });

  it('never holds more than its bound and forgets the least recently used first', () => {
    const cache = new TemplateCache(2);
    const kept = cache.compile('a');
    const forgotten = cache.compile('b');
    cache.compile('a');
    cache.compile('c');
    expect(cache.size).toBe(2);
    expect(cache.compile('a')).toBe(kept);
    expect(cache.compile('b')).not.toBe(forgotten);

    for (let index = 0; index < 10_000; index += 1) cache.compile(`{{ data.x${index} }}`);
    expect(cache.size).toBe(2);
  });

  it('holds neither refused nor overlong texts', () => {
    const cache = new TemplateCache();
    expect(() => cache.compile('{{ data')).toThrow('An expression is opened but not closed');
    cache.compile('a'.repeat(1_001), { lengthMax: 2_000 });
    expect(cache.size).toBe(0);
  });

  it('applies the length limit of each call to what another call had compiled', () => {
    const cache = new TemplateCache();
    cache.compile('a'.repeat(500));
    expect(() => cache.compile('a'.repeat(500), { lengthMax: 400 })).toThrow(
      expect.objectContaining({ reason: 'text-too-long' }),
    );
  });
});
