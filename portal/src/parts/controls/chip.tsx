import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon, type Shape } from '../icon';

/**
 * Shows a filter that is on. `isNot` marks one that excludes. Pressing the chip removes the filter; its name says so.
 */
export function FilterChip(chip: {
  readonly children: ReactNode;
  readonly isNot?: boolean;
  readonly onRemove: () => void;
}) {
  return (
    <button type="button" className={chip.isNot === true ? 'chip not' : 'chip on'} onClick={chip.onRemove}>
      <span className="unseen">Remove: </span>
      {chip.children}
      <Icon of={X} isSmall />
    </button>
  );
}

/** Shows a small choice, such as a search to try. `isDashed` marks a filter that can be added. */
export function Chip(chip: {
  readonly children: ReactNode;
  readonly icon?: Shape;
  readonly isDashed?: boolean;
  readonly onPress: () => void;
}) {
  return (
    <button type="button" className={chip.isDashed === true ? 'chip dashed' : 'chip'} onClick={chip.onPress}>
      {chip.icon === undefined ? null : <Icon of={chip.icon} isSmall />}
      {chip.children}
    </button>
  );
}
