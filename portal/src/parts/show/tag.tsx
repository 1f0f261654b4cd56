import type { ReactNode } from 'react';
import { Icon, type Shape } from '../icon';

/** `plain` is amber and stands for plaintext, `good` for what is proven or in force, `bad` for what was refused. */
export type Tone = 'neutral' | 'good' | 'plain' | 'bad';

/** Shows a badge. The text carries the meaning. Colour is only a hint. */
export function Tag(tag: { readonly tone?: Tone; readonly icon?: Shape; readonly children: ReactNode }) {
  const { tone = 'neutral', icon, children } = tag;
  return (
    <span className={`tag tag-${tone}`}>
      {icon === undefined ? null : <Icon of={icon} isSmall />}
      {children}
    </span>
  );
}
