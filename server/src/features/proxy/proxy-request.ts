import type { HeaderField } from '../../platform/outbound/destination-exchange.ts';

/** A stored proxy as its caller was admitted to it. */
interface AdmittedProxy {
  readonly id: string;
  readonly version: number;
  /** True if the caller has no API key. */
  readonly isKeyless: boolean;
}

/** A client's request to the proxy as received. Nothing is decoded yet. */
export interface ProxyRequest {
  readonly method: string;
  readonly destinationUrl: string | undefined;
  /** The stored proxy that the caller was admitted to, if any. */
  readonly storedProxy?: AdmittedProxy | undefined;
  /** True if references to tokens are forwarded as they are. */
  readonly isPlain?: boolean;
  /** Connection headers for the destination, if the client sets any. */
  readonly connection: string | undefined;
  readonly keepAlive: string | undefined;
  /** The part of the path after the endpoint, and the query without its question mark. */
  readonly path: string;
  readonly query: string;
  readonly headers: readonly HeaderField[];
  readonly body: Buffer | undefined;
  /** True if it came through the elements origin, where a script of the page chooses the destination. */
  readonly isFromFields: boolean;
  /** The signal that is aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Returns the value of a single-valued header, or the first if there are several. */
export function headerOf(headers: readonly HeaderField[], name: string): string | undefined {
  return headers.find((field) => field.name.toLowerCase() === name)?.value;
}
