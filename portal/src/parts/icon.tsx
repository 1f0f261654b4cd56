import type { LucideIcon } from 'lucide-react';

/** A shape of the icon set. Pages import single shapes from `lucide-react`, so only those in use are built. */
export type Shape = LucideIcon;

/** Shows an icon that decorates the words beside it. Screen readers skip it. */
export function Icon({ of: Drawing, isSmall = false }: { readonly of: Shape; readonly isSmall?: boolean }) {
  return <Drawing className={isSmall ? 'icon icon-small' : 'icon'} strokeWidth={1.75} aria-hidden="true" />;
}
