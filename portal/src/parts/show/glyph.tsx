import { Icon, type Shape } from '../icon';
import type { Tone } from './tag';

/** Shows an icon in a tile, as the sign of a row or of a message. */
export function Glyph(glyph: { readonly of: Shape; readonly tone?: Tone; readonly isLarge?: boolean }) {
  const { of, tone = 'neutral', isLarge = false } = glyph;
  return (
    <span className={`glyph glyph-${tone}${isLarge ? ' glyph-large' : ''}`}>
      <Icon of={of} isSmall={!isLarge} />
    </span>
  );
}
