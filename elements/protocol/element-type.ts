/** The elements that a page can create. */
export const elementTypes = [
  'card',
  'cardNumber',
  'cardExpirationDate',
  'cardVerificationCode',
  'text',
  'copyButton',
] as const;

export type ElementType = (typeof elementTypes)[number];
