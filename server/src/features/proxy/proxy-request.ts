import type { HeaderField } from '../../platform/outbound/destination-exchange.ts';

/** What a client asks of the proxy, as it came over the wire: nothing is decoded yet. */
export interface ProxyRequest {
  readonly method: string;
  readonly destinationUrl: string | undefined;
  /** What the destination is told about the connection, if the client says anything about it. */
  readonly connection: string | undefined;
  readonly keepAlive: string | undefined;
  /** What follows the endpoint's own path, and the query without its question mark. */
  readonly path: string;
  readonly query: string;
  readonly headers: readonly HeaderField[];
  readonly body: Buffer | undefined;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** The value of a header that counts once; of several the first. */
export function headerOf(headers: readonly HeaderField[], name: string): string | undefined {
  return headers.find((field) => field.name.toLowerCase() === name)?.value;
}
