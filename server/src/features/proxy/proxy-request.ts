import type { HeaderField } from '../../platform/outbound/destination-exchange.ts';

/** A client's request to the proxy as received: nothing is decoded yet. */
export interface ProxyRequest {
  readonly method: string;
  readonly destinationUrl: string | undefined;
  /** Connection headers for the destination, if the client sets any. */
  readonly connection: string | undefined;
  readonly keepAlive: string | undefined;
  /** What follows the endpoint's own path, and the query without its question mark. */
  readonly path: string;
  readonly query: string;
  readonly headers: readonly HeaderField[];
  readonly body: Buffer | undefined;
  /** True if it came through the elements origin, where a script of the page chooses the destination. */
  readonly isFromFields: boolean;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** The value of a single-valued header; the first if there are several. */
export function headerOf(headers: readonly HeaderField[], name: string): string | undefined {
  return headers.find((field) => field.name.toLowerCase() === name)?.value;
}
