import type { ElementWrapper } from './references.ts';
import { VaultElement } from './vault-element.ts';

/** An expiration date. Payloads can use its month and year separately. */
export class ExpirationDateElement extends VaultElement {
  month(): ElementWrapper {
    return { element: this, method: 'month' };
  }

  year(): ElementWrapper {
    return { element: this, method: 'year' };
  }

  /** Returns a reference to the date in a format such as `MM/YY`. */
  format(format: string): ElementWrapper {
    return { element: this, method: 'format', formattingOptions: { format } };
  }
}
