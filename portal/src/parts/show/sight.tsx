/** How much of the data was seen, or that the attempt was refused. */
export type SightKind = 'none' | 'masked' | 'plaintext' | 'denied';

export const sightLabels: Readonly<Record<SightKind, string>> = {
  none: 'No data',
  masked: 'Masked',
  plaintext: 'Plaintext',
  denied: 'Denied',
};

/**
 * Shows how much was seen by shape, then word, then colour: a dashed ring, a half disc, a full disc, a struck ring.
 */
export function Sight({ of: kind, label }: { readonly of: SightKind; readonly label?: string }) {
  return (
    <span className={`sight sight-${kind}`}>
      <SightMark of={kind} />
      {label ?? sightLabels[kind]}
    </span>
  );
}

/** The mark alone. The word has to be beside it. */
export function SightMark({ of: kind }: { readonly of: SightKind }) {
  return (
    <svg viewBox="0 0 12 12" aria-hidden="true">
      {marks[kind]}
    </svg>
  );
}

const ring = { cx: 6, cy: 6, r: 5, fill: 'none', stroke: 'currentColor', strokeWidth: 1.5 } as const;
const marks = {
  none: <circle {...ring} strokeDasharray="2.2 2" />,
  masked: (
    <>
      <circle {...ring} />
      <path d="M6 1a5 5 0 0 0 0 10Z" fill="currentColor" />
    </>
  ),
  plaintext: <circle cx={6} cy={6} r={5.5} fill="currentColor" />,
  denied: (
    <>
      <circle {...ring} />
      <path d="M2.6 9.4 9.4 2.6" stroke="currentColor" strokeWidth={1.5} />
    </>
  ),
} as const;

/** Returns what a view shows, as the log and the rules name it. */
export function toSight(transform: string | undefined): SightKind {
  if (transform === 'reveal') return 'plaintext';
  return transform === 'mask' ? 'masked' : 'none';
}
