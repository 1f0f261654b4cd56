import type { ElementState, FieldError, FieldProblem } from '../../protocol/element-state.ts';
import type { FieldValue } from '../../protocol/messages.ts';

/** A mounted element: the operations available to the page, and those available to the controller. */
export interface MountedElement {
  readonly value: FieldValue;
  command(command: Readonly<Record<string, unknown>>): void;
  fill(value: FieldValue): void;
  noteToken(digits: string): void;
  /** Notes the brand of the number in another element of the page. */
  noteBrand(brand: string | undefined): void;
  readonly errors: readonly FieldError[];
  readonly state: ElementState;
  readonly problems: readonly FieldProblem[];
}
