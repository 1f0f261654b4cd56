import type { Check } from './check.ts';

/** A deduplicated value must have one token, even if many clients create it concurrently. */
export const equalValuesCheck: Check = {
  name: 'no two tokens for one deduplicated value',
  run: ({ entries, state }) => {
    const findings: string[] = [];
    const done = entries.filter(({ operation, outcome }) => operation === 'deduplicate' && outcome === 'done');
    for (const [value, ofValue] of Map.groupBy(done, ({ facts }) => String(facts['value']))) {
      const ids = new Set(ofValue.map(({ facts }) => String(facts['id'])));
      if (ids.size > 1) findings.push(`clients got ${ids.size} tokens for ${value}`);
      for (const id of ids) if (!state.tokens.has(id)) findings.push(`the token of ${value} is gone`);
    }
    const withFingerprint = [...state.tokens.values()].filter(
      ({ id, type, fingerprint }) => type === 'token' && fingerprint !== null && /^[0-9a-f]{8}-/.test(id),
    );
    for (const [, same] of Map.groupBy(withFingerprint, ({ fingerprint }) => fingerprint)) {
      if (same.length > 1) findings.push(`${same.length} tokens have the same fingerprint`);
    }
    return findings;
  },
};
