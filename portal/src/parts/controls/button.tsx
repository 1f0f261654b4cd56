import type { ComponentProps, ReactNode } from 'react';
import { Icon, type Shape } from '../icon';

/**
 * What a button does: `main` is the one thing to do on a page, `plain` would show plaintext, `warns` opens a question
 * about destruction, `bad` confirms it, and `ghost` is less important than everything around it.
 */
export type ButtonKind = 'usual' | 'main' | 'plain' | 'warns' | 'bad' | 'ghost';

interface Looks {
  readonly kind?: ButtonKind;
  readonly isSmall?: boolean;
  readonly icon?: Shape;
}

/** Returns the class of a link that looks like a button. */
export function buttonClass({ kind = 'usual', isSmall = false }: Omit<Looks, 'icon'> = {}): string {
  return ['button', kind === 'usual' ? '' : kind, isSmall ? 'small' : ''].filter((name) => name !== '').join(' ');
}

/** Shows a button with words, and an icon that decorates them. It submits a form only if `type` says so. */
export function Button(button: Looks & ComponentProps<'button'> & { readonly children: ReactNode }) {
  const { kind = 'usual', isSmall = false, icon, children, type = 'button', ...rest } = button;
  return (
    // oxlint-disable-next-line react/button-has-type -- The type has a default above.
    <button {...rest} type={type} className={buttonClass({ kind, isSmall })}>
      {icon === undefined ? null : <Icon of={icon} isSmall={isSmall} />}
      {children}
    </button>
  );
}

/** Shows a button that is only an icon. `label` is its name, for screen readers and on hover. */
export function IconButton(
  button: Looks & ComponentProps<'button'> & { readonly icon: Shape; readonly label: string },
) {
  const { kind = 'ghost', isSmall = false, icon, label, ...rest } = button;
  return (
    <button
      {...rest}
      type="button"
      className={`icon-button ${buttonClass({ kind, isSmall })}`}
      aria-label={label}
      title={label}
    >
      <Icon of={icon} />
    </button>
  );
}
