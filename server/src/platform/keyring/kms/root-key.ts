import { lengthPrefixed } from '../sealing/aes-gcm.ts';

/** The purpose of a wrapped key. The wrapping is bound to it, so a wrapped key cannot be used anywhere else. */
export interface WrapContext {
  readonly tenant: string;
  readonly purpose: string;
  readonly version: number;
}

/**
 * The root key. It never leaves its provider, and only wraps and unwraps 256-bit keys. Each provider has a class in
 * this folder, and `open-root-key.ts` chooses one of them.
 */
export interface RootKey {
  /**
   * The provider and fingerprint, such as `file:9f2c…`. It is stored with every key that the root key wraps, and is
   * safe to show.
   */
  readonly id: string;
  wrap(key: Buffer, context: WrapContext): Promise<Buffer>;
  /** Throws `RootKeyMismatch` if the bytes were not wrapped by this key for this context. */
  unwrap(wrapped: Buffer, context: WrapContext): Promise<Buffer>;
  close(): Promise<void>;
}

/** A configured root key. The code of its service is loaded when the key is opened. */
export interface RootKeyConfig {
  /** The key service, such as `aws-kms`. Ids of its keys begin with it. */
  readonly kind: string;
  /** The certificate authority of the service as PEM, if it is configured. */
  readonly authority?: string | undefined;
  open(): Promise<RootKey>;
}

export class RootKeyMismatch extends Error {
  constructor() {
    super('A key could not be unwrapped: it was wrapped by another root key, for another purpose, or it is damaged.');
    this.name = 'RootKeyMismatch';
  }
}

export const keyLength = 32;

/** Throws if the length is wrong. A key of another length could be wrapped but never unwrapped. */
export function requireKeyLength(key: Buffer): void {
  if (key.length !== keyLength) throw new TypeError('A wrapped key has 32 bytes.');
}

/** The context with which a provider tests itself. Nothing wrapped with it is stored. */
export const probeContext: WrapContext = { tenant: 'system', purpose: 'probe', version: 1 };

export function wrapContextBytes(context: WrapContext): Buffer {
  return lengthPrefixed(['strongroom/wrap/1', context.tenant, context.purpose, context.version]);
}
