import type { ElementState, FieldError } from './element-state.ts';
import type { ReportedKey } from './reported-key.ts';
import type { FieldSetup, FieldChange } from './field-options.ts';

/** Every message says which instance it belongs to; a frame and a client are silent about all others. */
export interface Envelope {
  readonly strongroom: string;
}

/** From the page to a field. */
export type FieldCommand =
  | { readonly kind: 'setup'; readonly setup: FieldSetup }
  | { readonly kind: 'update'; readonly id: number; readonly change: FieldChange }
  | { readonly kind: 'validate' | 'clear' | 'focus' | 'blur' };

/** From a field to the page. `hello` asks for a `setup`. */
export type FieldReport =
  | { readonly kind: 'hello'; readonly element: string }
  | { readonly kind: 'ready'; readonly element: string; readonly state: ElementState }
  | { readonly kind: 'refused'; readonly element: string; readonly reason: string }
  | {
      readonly kind: 'updated';
      readonly element: string;
      readonly id: number;
      readonly reason?: string;
      readonly ignored?: readonly string[];
    }
  | { readonly kind: 'change'; readonly element: string; readonly state: ElementState }
  | { readonly kind: 'size'; readonly element: string; readonly height: number }
  | { readonly kind: 'focus' | 'blur' | 'click' | 'copy'; readonly element: string; readonly targetId: string }
  | ({ readonly kind: 'keydown'; readonly element: string; readonly targetId: string } & ReportedKey);

/** A reference to what an element holds, in the place of the value. */
export interface ElementReference {
  readonly $element: string;
  /** A part of an expiration date; the whole value by default. */
  readonly part?: 'month' | 'year' | 'format';
  readonly format?: string;
}

/** A reference to a value that the controller has retrieved and keeps. */
export interface ValueReference {
  readonly correlationId: string;
  readonly elementId: string;
  readonly path: string;
}

export type ServiceName =
  | 'tokens.create'
  | 'tokens.update'
  | 'tokens.retrieve'
  | 'tokenize'
  | 'sessions.create'
  | 'proxy.get'
  | 'proxy.post'
  | 'proxy.put'
  | 'proxy.patch'
  | 'proxy.delete';

export interface ServiceCall {
  readonly service: ServiceName;
  /** Of a token. */
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

/** From the page to the controller. */
export type ControllerCommand =
  | { readonly kind: 'setup'; readonly key: string }
  | { readonly kind: 'call'; readonly id: number; readonly call: ServiceCall }
  | { readonly kind: 'fill'; readonly element: string; readonly value: unknown }
  | { readonly kind: 'link'; readonly from: string; readonly to: string }
  | { readonly kind: 'forget'; readonly element: string };

/** From the controller to the page. */
export type ControllerReport =
  | { readonly kind: 'hello' | 'ready'; readonly element: string }
  | { readonly kind: 'refused'; readonly element: string; readonly reason: string }
  | { readonly kind: 'result'; readonly element: string; readonly id: number; readonly outcome: CallOutcome };

export type CallOutcome =
  | { readonly value: unknown }
  | { readonly api: { readonly status: number; readonly data: unknown; readonly message: string } }
  | { readonly invalid: { readonly details: unknown; readonly errors: readonly FieldError[] } }
  | { readonly refused: string };

/** What an element holds, between frames of the vault only. */
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

/** The reply of a field that was asked: a value with errors does not go into a token. */
export interface HeldValue {
  readonly value: FieldValue;
  readonly errors: readonly FieldError[];
}

/** Between a field and the controller, both frames of the vault. */
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
  /** The page has been shown the ends of this number: by a field, or by a token. */
  | { readonly kind: 'shown'; readonly digits: string }
  | { readonly kind: 'fill'; readonly value: FieldValue };
