import { openOnce, type StrongroomElements } from './instance.ts';

export * from '../cards/card-types.ts';
export type { CardType } from '../cards/card-type.ts';
export type { ElementState, FieldError, FieldProblem, ProblemReason } from '../protocol/element-state.ts';
export type { ElementType } from '../protocol/element-type.ts';
export type { ValueReference } from '../protocol/messages.ts';
export type { ElementEvent, EventOf, EventType, Listener, Subscription } from './element-events.ts';
export type { ElementOptions } from './element-options.ts';
export { StrongroomApiError, StrongroomValidationError } from './errors.ts';
export { ExpirationDateElement } from './expiration-date-element.ts';
export type { StrongroomElements } from './instance.ts';
export { type ElementWrapper, hasElement } from './references.ts';
export type { ProxyRequestOptions, RequestOptions, Session, Token, TokenIntent } from './services.ts';
export { VaultElement } from './vault-element.ts';

export interface StrongroomOptions {
  /** The origin that serves the fields of your vault: `STRONGROOM_ELEMENTS_URL`. */
  readonly elementsUrl: string;
}

/** Prepares card fields with the key of a public application. The same key returns the same instance. */
export function strongroom(key: string, { elementsUrl }: StrongroomOptions): Promise<StrongroomElements> {
  return openOnce(key, new URL(elementsUrl).origin);
}
