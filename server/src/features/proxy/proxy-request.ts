import type { HeaderField } from '../../platform/outbound/destination-exchange.ts';

/** A client's request to the proxy as received. Nothing is decoded yet. */
export interface ProxyRequest {
  readonly method: string;
  readonly destinationUrl: string | undefined;
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
