import { describe, expect, it } from 'vitest';
import { allSettings } from './config.ts';

describe('all settings', () => {
  it('have names of their own, and examples', () => {
    const variables = allSettings.map(({ variable }) => variable);
    expect(variables).toEqual([...new Set(variables)]);
    const examples = allSettings.map(({ details: { example } }) => example);
    expect(examples.filter((example) => example === '' || example.includes('[object'))).toEqual([]);
  });
});
