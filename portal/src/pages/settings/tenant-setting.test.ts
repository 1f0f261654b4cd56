import { describe, expect, it } from 'vitest';
import { accessSettings, changedSettings, dataSettings, lossesOf, settingsInForce, valueOf } from './tenant-setting';

const all = [...accessSettings, ...dataSettings];

describe('the settings of a tenant', () => {
  it('have a default that can be chosen, and a value that loses nothing', () => {
    for (const { fallback, values } of all) {
      expect(values.map(({ value }) => value)).toContain(fallback);
      expect(values.some(({ weakens }) => weakens === undefined)).toBe(true);
    }
  });

  it('are sent only if they differ from what applies', () => {
    const saved = { approve_plaintext: 'true', own: 'x' };
    expect(changedSettings(saved, saved)).toEqual({});
    expect(changedSettings(saved, { ...saved, fingerprint_tokens: 'true', token_intent_hours: '24' })).toEqual({});
    expect(changedSettings(saved, { ...saved, approve_plaintext: 'false', token_intent_hours: '1' })).toEqual({
      approve_plaintext: 'false',
      token_intent_hours: '1',
    });
    expect(valueOf({ name: 'fingerprint_visibility', fallback: 'mask' }, {})).toBe('mask');
  });

  it('always need a sign-in method in production', () => {
    expect(settingsInForce('production', { require_sign_in_way: 'false' })).toEqual({ require_sign_in_way: 'true' });
    expect(settingsInForce('test', {})).toEqual({});
  });

  it('say what a change loses', () => {
    expect(lossesOf({ approve_plaintext: 'true', token_intent_hours: '48' })).toEqual([]);
    expect(lossesOf({ approve_plaintext: 'false', deduplicate_tokens: 'true' })).toHaveLength(2);
  });
});
