import type { ReactNode } from 'react';

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent';

/** Shows a badge. The text carries the meaning. Colour is only a hint. */
export function Tag({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={`tag tag-${tone}`}>{children}</span>;
}
