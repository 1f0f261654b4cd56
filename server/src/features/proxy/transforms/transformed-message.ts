import type { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import type { Configuration, ProxyTransform } from '../../stored-proxies/index.ts';
import type { HeaderField } from '../../../platform/outbound/destination-exchange.ts';
import type { toTokenRequest } from '../../tokens/index.ts';
import type { MessageBody } from './message-body.ts';

/** A request or a response while its transforms are applied. */
export interface TransformedMessage {
  headers: readonly HeaderField[];
  body: MessageBody;
}

export type WantedToken = ReturnType<typeof toTokenRequest>;

/** A token as expressions see it: with its details, and without data. */
export type TokenScope = Readonly<Record<string, JsonValue>>;

/** What transforms can use. */
export interface TransformContext {
  /** The secrets of the proxy. Empty for a response. */
  readonly configuration: Configuration;
  /** What expressions can say about the request. */
  readonly request: Readonly<Record<string, string>>;
  /** Creates tokens in one transaction, so a failure leaves none behind. */
  readonly createTokens: (requests: readonly WantedToken[]) => Promise<readonly TokenScope[]>;
  /** Returns the values of references, as far as the caller may read them. */
  readonly detokenize: (references: readonly string[]) => Promise<readonly Sensitive<JsonValue>[]>;
}

export type TransformOf<Type extends ProxyTransform['type']> = Extract<ProxyTransform, { readonly type: Type }>;
