import type { ElementState, FieldError } from '../../protocol/element-state.ts';
import type { FieldValue } from '../../protocol/messages.ts';

/** A mounted element: the operations available to the page, and those available to the controller. */
export interface MountedElement {
  readonly value: FieldValue;
  command(command: Readonly<Record<string, unknown>>): void;
  fill(value: FieldValue): void;
  noteToken(digits: string): void;
  readonly errors: readonly FieldError[];
  readonly state: ElementState;
}
