import type { ElementState, FieldError, FieldProblem } from './element-state.ts';
import type { ReportedKey } from './reported-key.ts';
import type { FieldSetup, FieldChange } from './field-options.ts';

/** Every message names its instance. Frames and clients ignore messages of other instances. */
export interface Envelope {
  readonly strongroom: string;
}

/** A message from the page to a field. */
export type FieldCommand =
  | { readonly kind: 'setup'; readonly setup: FieldSetup }
  | { readonly kind: 'update'; readonly id: number; readonly change: FieldChange }
  | { readonly kind: 'validate' | 'clear' | 'focus' | 'blur' };

/** A message from a field to the page. `hello` requests a `setup`. */
export type FieldReport =
  | { readonly kind: 'hello'; readonly element: string }
  | {
      readonly kind: 'ready' | 'change';
      readonly element: string;
      readonly state: ElementState;
      readonly problems: readonly FieldProblem[];
    }
  | { readonly kind: 'refused'; readonly element: string; readonly reason: string }
  | {
      readonly kind: 'updated';
      readonly element: string;
      readonly id: number;
      readonly reason?: string;
      readonly ignored?: readonly string[];
    }
  | { readonly kind: 'full'; readonly element: string }
  | { readonly kind: 'size'; readonly element: string; readonly height: number }
  | { readonly kind: 'focus' | 'blur' | 'click' | 'copy'; readonly element: string; readonly targetId: string }
  | ({ readonly kind: 'keydown'; readonly element: string; readonly targetId: string } & ReportedKey);

/** A reference to the value of an element. */
export interface ElementReference {
  readonly $element: string;
  /** The part of an expiration date. Defaults to the whole value. */
  readonly part?: 'month' | 'year' | 'format';
  readonly format?: string;
}

/** A reference to a retrieved value that the controller holds. */
export interface ValueReference {
  readonly correlationId: string;
  readonly elementId: string;
  readonly path: string;
}

export type ServiceName =
  | 'tokens.create'
  | 'tokens.update'
  | 'tokens.retrieve'
  | 'tokens.encrypt'
  | 'tokenIntents.create'
  | 'tokenize'
  | 'sessions.create'
  | 'proxy.get'
  | 'proxy.post'
  | 'proxy.put'
  | 'proxy.patch'
  | 'proxy.delete';

export interface ServiceCall {
  readonly service: ServiceName;
  /** The id of a token. */
  readonly id?: string;
  readonly payload?: unknown;
  readonly apiKey?: string;
  readonly idempotencyKey?: string;
  readonly correlationId?: string;
  readonly proxy?: ProxyCall;
}

export interface ProxyCall {
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly includeResponseHeaders?: boolean;
}

/** A message from the page to the controller. */
export type ControllerCommand =
  | { readonly kind: 'setup'; readonly key: string }
  | { readonly kind: 'call'; readonly id: number; readonly call: ServiceCall }
  | { readonly kind: 'fill'; readonly element: string; readonly value: unknown }
  | { readonly kind: 'link'; readonly from: string; readonly to: string }
  | { readonly kind: 'forget'; readonly element: string };

/** A message from the controller to the page. */
export type ControllerReport =
  | { readonly kind: 'hello' | 'ready'; readonly element: string }
  | { readonly kind: 'refused'; readonly element: string; readonly reason: string }
  | { readonly kind: 'result'; readonly element: string; readonly id: number; readonly outcome: CallOutcome };

export type CallOutcome =
  | { readonly value: unknown }
  | { readonly api: { readonly status: number; readonly data: unknown; readonly message: string } }
  | { readonly invalid: { readonly details: unknown; readonly errors: readonly FieldError[] } }
  | { readonly refused: string };

/** The value of an element. It is only exchanged between frames of the vault. */
export type FieldValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'date'; readonly month: string; readonly year: string }
  | {
      readonly kind: 'card';
      readonly number: string;
      readonly month: string;
      readonly year: string;
      readonly code: string;
    };

/** A field's reply to the controller's request for its value. A value with errors does not go into a token. */
export interface HeldValue {
  readonly value: FieldValue;
  readonly errors: readonly FieldError[];
}

/** A message between a field and the controller, which are both frames of the vault. */
export type SiblingMessage =
  | { readonly kind: 'join'; readonly element: string }
  | { readonly kind: 'joined' }
  | { readonly kind: 'ask'; readonly question: number }
  | ({
      readonly kind: 'value';
      readonly question: number;
    } & HeldValue)
  | { readonly kind: 'watch' }
  | { readonly kind: 'changed'; readonly value: FieldValue }
  /** The brand of a typed number: from the field of the number to the controller, and from there to fields of codes. */
  | { readonly kind: 'brand'; readonly brand: string | undefined }
  /** The page has seen the first and last digits of this number, through a field or a token. */
  | { readonly kind: 'shown'; readonly digits: string }
  | { readonly kind: 'fill'; readonly value: FieldValue };
