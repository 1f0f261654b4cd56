import type { ElementWrapper } from './references.ts';
import { VaultElement } from './vault-element.ts';

/** An expiration date, of which a payload can use the month and the year separately. */
export class ExpirationDateElement extends VaultElement {
  month(): ElementWrapper {
    return { element: this, method: 'month' };
  }

  year(): ElementWrapper {
    return { element: this, method: 'year' };
  }

  /** `MM/YY` and the like. */
  format(format: string): ElementWrapper {
    return { element: this, method: 'format', formattingOptions: { format } };
  }
}
