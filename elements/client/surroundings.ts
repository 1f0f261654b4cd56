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

/** Returns the title of an element's frame. Screen readers announce it before the content. */
export function findTitle(type: ElementType, options: ElementOptions, label: string | undefined): string {
  const ariaLabel = options['aria-label'];
  return options.title ?? (typeof ariaLabel === 'string' ? ariaLabel : undefined) ?? label ?? titles[type];
}

/** Returns the settings that a field copies from the page around it, because a frame inherits nothing. */
export function describeSurroundings(container: Element): Pick<FieldSetup, 'direction' | 'lang'> {
  const lang = container.closest('[lang]')?.getAttribute('lang') ?? undefined;
  return {
    direction: getComputedStyle(container).direction === 'rtl' ? 'rtl' : 'ltr',
    ...(lang === undefined ? {} : { lang }),
  };
}
