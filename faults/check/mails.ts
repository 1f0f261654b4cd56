import type { Check } from './check.ts';

/** Every acknowledged invitation must eventually be mailed. */
export const mailsCheck: Check = {
  name: 'every acknowledged invitation is mailed',
  run: ({ entries, state }) => {
    const findings: string[] = [];
    for (const { operation, outcome, facts } of entries) {
      if (operation === 'invitation' && outcome === 'done' && !state.mailedTo.has(String(facts['email']))) {
        findings.push(`${String(facts['email'])} has got no mail`);
      }
    }
    return findings;
  },
};
