import type { ElementType } from '../protocol/element-type.ts';
import type { FieldSetup } from '../protocol/field-options.ts';
import type { ElementOptions } from './element-options.ts';

const titles: Readonly<Record<ElementType, string>> = {
  card: 'Card',
  cardNumber: 'Card number',
  cardExpirationDate: 'Expiration date',
  cardVerificationCode: 'Security code',
  text: 'Secure field',
  copyButton: 'Copy',
};

/** How the frame of an element is called, which screen readers say before what is in it. */
export function findTitle(type: ElementType, options: ElementOptions, label: string | undefined): string {
  const ariaLabel = options['aria-label'];
  return options.title ?? (typeof ariaLabel === 'string' ? ariaLabel : undefined) ?? label ?? titles[type];
}

/** What a field takes over from the page around it, as a frame inherits nothing. */
export function describeSurroundings(container: Element): Pick<FieldSetup, 'direction' | 'lang'> {
  const lang = container.closest('[lang]')?.getAttribute('lang') ?? undefined;
  return {
    direction: getComputedStyle(container).direction === 'rtl' ? 'rtl' : 'ltr',
    ...(lang === undefined ? {} : { lang }),
  };
}
