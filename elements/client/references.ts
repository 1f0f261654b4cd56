import type { ElementReference } from '../protocol/messages.ts';
import { VaultElement } from './vault-element.ts';

/** A part of an element's value, such as the month of a date. */
export interface ElementWrapper {
  readonly element: VaultElement;
  readonly method?: 'month' | 'year' | 'format';
  readonly formattingOptions?: { readonly format: string };
}

/** Returns true if a payload contains an element. */
export function hasElement(payload: unknown): boolean {
  if (findReference(payload) !== undefined) return true;
  return typeof payload === 'object' && payload !== null && Object.values(payload).some(hasElement);
}

/** Replaces the elements in a payload with references that only the controller can resolve. */
export function toReferences(payload: unknown): unknown {
  const reference = findReference(payload);
  if (reference !== undefined) return reference;
  if (Array.isArray(payload)) return payload.map(toReferences);
  if (typeof payload !== 'object' || payload === null) return payload;
  return Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, toReferences(value)]));
}

function findReference(value: unknown): ElementReference | undefined {
  if (value instanceof VaultElement) return { $element: value.id };
  if (typeof value !== 'object' || value === null || !('element' in value)) return undefined;
  if (!(value.element instanceof VaultElement)) return undefined;
  const { element, method, formattingOptions }: ElementWrapper = { ...value, element: value.element };
  return {
    $element: element.id,
    ...(method === undefined ? {} : { part: method }),
    ...(formattingOptions === undefined ? {} : { format: formattingOptions.format }),
  };
}
