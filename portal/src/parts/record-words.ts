import type { Tone } from './tag';

/** Labels and colours of the log's outcomes, in the order in which charts stack them. */
export const outcomes = [
  { name: 'success', label: 'Success', tone: 'accent' },
  { name: 'intent', label: 'Intent', tone: 'plain' },
  { name: 'missed', label: 'Missed', tone: 'warn' },
  { name: 'failed', label: 'Failed', tone: 'warn' },
  { name: 'unknown', label: 'Unknown', tone: 'warn' },
  { name: 'denied', label: 'Denied', tone: 'bad' },
] as const;

export function toneOfOutcome(outcome: string): Tone {
  if (outcome === 'success') return 'good';
  return outcomes.find(({ name }) => name === outcome)?.tone ?? 'plain';
}

/** Labels for how much of the data left the vault. */
const transforms: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  reveal: { label: 'plaintext', tone: 'bad' },
  mask: { label: 'masked', tone: 'accent' },
  redact: { label: 'nothing', tone: 'plain' },
};

export function describeTransform(transform: string): { readonly label: string; readonly tone: Tone } {
  return transforms[transform] ?? { label: transform, tone: 'plain' };
}
