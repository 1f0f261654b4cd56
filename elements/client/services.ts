import type { ServiceCall } from '../protocol/messages.ts';
import type { Controller } from './controller.ts';
import { toCamelCase, toSnakeCase } from './letter-case.ts';
import { toReferences } from './references.ts';

export interface RequestOptions {
  readonly apiKey?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface ProxyRequestOptions extends RequestOptions {
  readonly includeResponseHeaders?: boolean | undefined;
  readonly path?: string | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

/** A token as a page receives it. It contains nothing that was typed. */
export interface Token {
  readonly id: string;
  readonly type: string;
  readonly tenantId: string;
  /** After `create`, the data with typed values masked or omitted. After `retrieve`, references for `setValue`. */
  readonly data?: unknown;
  readonly containers?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly card?: { readonly bin?: string; readonly last4?: string; readonly brand?: string };
  readonly createdAt?: string;
  readonly [member: string]: unknown;
}

/** What is encrypted, and the client key for which it is. */
export interface EncryptionRequest {
  /** One request with a type and data, or several with names. */
  readonly tokenRequests: object;
  readonly publicKeyPem: string;
  readonly keyId: string;
}

interface EncryptedData {
  /** The data as a JWE. Only the vault can decrypt it. */
  readonly encrypted: string;
  readonly type: string;
}

export type EncryptedToken = EncryptedData | Readonly<Record<string, EncryptedData>>;

/** A token intent as a page receives it. */
export interface TokenIntent {
  readonly id: string;
  readonly type: string;
  readonly tenantId: string;
  readonly card?: Token['card'];
  readonly createdAt?: string;
  readonly expiresAt?: string;
}

export interface Session {
  /** Identifies the session in `apiKey` of later calls. The key itself stays in the controller. */
  readonly sessionKey: string;
  readonly nonce: string;
  readonly expiresAt: string;
}

export interface VaultServices {
  readonly tokens: {
    create(token: object, options?: RequestOptions): Promise<Token>;
    update(id: string, token: object, options?: RequestOptions): Promise<Token>;
    retrieve(id: string, options?: RequestOptions): Promise<Token>;
    encrypt(request: EncryptionRequest, options?: RequestOptions): Promise<EncryptedToken>;
  };
  tokenize(payload: unknown, options?: RequestOptions): Promise<unknown>;
  readonly sessions: { create(options?: RequestOptions): Promise<Session> };
  readonly proxy: Readonly<
    Record<'get' | 'post' | 'put' | 'patch' | 'delete', (options?: ProxyRequestOptions) => Promise<unknown>>
  >;
  readonly tokenIntents: { create(intent: object, options?: RequestOptions): Promise<TokenIntent> };
  readonly client: Readonly<Record<'get' | 'post' | 'put' | 'patch' | 'delete', () => Promise<never>>>;
  readonly device: { getDeviceInfo(): never };
}

export function createServices(controller: () => Controller): VaultServices {
  const call = (request: ServiceCall) => controller().call(request);
  const token = async (request: ServiceCall) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The controller lets these members through and no others.
    toCamelCase(await call(request)) as Token;
  // Elements are replaced with references first, so that the conversion to snake case does not descend into elements.
  const payload = (given: unknown) => toSnakeCase(toReferences(given));
  const proxy =
    (method: 'get' | 'post' | 'put' | 'patch' | 'delete') =>
    async (options: ProxyRequestOptions = {}) => {
      const { path, query, headers, includeResponseHeaders, body } = options;
      const more = { path, query, headers, includeResponseHeaders };
      return call({
        service: `proxy.${method}`,
        ...toCallOptions(options),
        payload: toReferences(body),
        proxy: dropUndefined(more),
      });
    };
  const noClient = refuse('client is not available: call your own server, or use proxy.');
  return {
    tokens: {
      create: (given, options) =>
        token({ service: 'tokens.create', payload: payload(given), ...toCallOptions(options) }),
      update: (id, given, options) =>
        token({ service: 'tokens.update', id, payload: payload(given), ...toCallOptions(options) }),
      retrieve: (id, options) => token({ service: 'tokens.retrieve', id, ...toCallOptions(options) }),
      encrypt: async ({ tokenRequests, publicKeyPem, keyId }, options) =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Built by the controller.
        (await call({
          service: 'tokens.encrypt',
          payload: { token_requests: toReferences(tokenRequests), public_key_pem: publicKeyPem, key_id: keyId },
          ...toCallOptions(options),
        })) as EncryptedToken,
    },
    tokenize: (given, options) =>
      call({ service: 'tokenize', payload: toReferences(given), ...toCallOptions(options) }),
    sessions: {
      create: async (options) =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Built by the controller.
        toCamelCase(await call({ service: 'sessions.create', ...toCallOptions(options) })) as Session,
    },
    proxy: {
      get: proxy('get'),
      post: proxy('post'),
      put: proxy('put'),
      patch: proxy('patch'),
      delete: proxy('delete'),
    },
    tokenIntents: {
      create: async (given, options) =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The controller lets these members through and no others.
        toCamelCase(
          await call({ service: 'tokenIntents.create', payload: payload(given), ...toCallOptions(options) }),
        ) as TokenIntent,
    },
    client: { get: noClient, post: noClient, put: noClient, patch: noClient, delete: noClient },
    device: {
      getDeviceInfo: () => {
        throw new Error('device is not available: fields collect nothing about the device.');
      },
    },
  };
}

function refuse(sentence: string): () => Promise<never> {
  return () => Promise.reject(new Error(sentence));
}

function toCallOptions({ apiKey, correlationId, idempotencyKey }: RequestOptions = {}): Partial<ServiceCall> {
  return dropUndefined({ apiKey, correlationId, idempotencyKey });
}

function dropUndefined<T extends object>(value: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The filter removes undefined members.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [Name in keyof T]: Exclude<T[Name], undefined>;
  };
}
