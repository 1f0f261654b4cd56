import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { codeOf, toError } from '../../core/errors/thrown.ts';
import type { Sensitive } from '../../core/identity/sensitive.ts';
import { ResponseBody } from './response-body.ts';
import type { ResponsePace } from './response-pace.ts';
import { DestinationFailure } from './destination-failure.ts';
import type { OutboundLimits } from './outbound-config.ts';
import type { SteadyConnection } from './steady-connection.ts';

export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

/** A request to a destination. Target, headers and body contain the plaintext of tokens. */
export interface OutboundRequest {
  readonly method: string;
  /** Path and query in the form of the request line. */
  readonly target: Sensitive<string>;
  /** The headers without `Host` and framing, which are added here. Values are bytes as Latin-1, like in HTTP. */
  readonly headers: Sensitive<readonly HeaderField[]>;
  /** Additional headers about the connection. */
  readonly connection?: readonly HeaderField[];
  readonly body: Sensitive<Buffer | undefined>;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: readonly HeaderField[];
  /** The body, which is not decoded. It either ends complete or fails with an error. */
  readonly body: Readable;
}

export interface ExchangeOptions {
  readonly socket: SteadyConnection;
  readonly hostHeader: string;
  readonly limits: OutboundLimits;
  readonly pace: ResponsePace;
  readonly signal: AbortSignal;
}

/**
 * Sends one request over a connection and returns the start of its response. The connection is closed after the
 * response.
 */
export function exchange(request: OutboundRequest, options: ExchangeOptions): Promise<OutboundResponse> {
  const { socket, signal, limits } = options;
  const { promise, resolve, reject } = Promise.withResolvers<OutboundResponse>();
  const stop = () => socket.destroy(toError(signal.reason));
  signal.addEventListener('abort', stop, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', stop));
  const fail = (error: unknown) => {
    socket.destroy();
    reject(toFailure(error, signal));
  };

  const sent = requestHttp({
    createConnection: () => socket,
    method: request.method,
    path: request.target.reveal(),
    maxHeaderSize: limits.answerHeaderBytesMax,
    insecureHTTPParser: false,
    setHost: false,
  });
  const onClose = () => fail(new DestinationFailure('closed-early'));
  // After a response has begun, its body reports errors. Without these listeners, an error would end the process.
  sent.on('error', fail);
  socket.on('error', () => undefined);
  sent.once('close', onClose);
  sent.once('upgrade', () => fail(new DestinationFailure('bad-answer')));
  let interimCount = 0;
  sent.on('information', () => {
    interimCount += 1;
    if (interimCount > limits.interimResponsesMax) fail(new DestinationFailure('bad-answer'));
  });
  sent.once('response', (answer) => {
    sent.off('close', onClose);
    const status = answer.statusCode ?? 0;
    if (status < 200 || status > 599) fail(new DestinationFailure('bad-answer'));
    else resolve({ status, headers: toFields(answer.rawHeaders), body: toBody(answer, options) });
  });
  try {
    writeRequest(sent, request, options.hostHeader);
  } catch (error) {
    // If Node rejects a header or a target that passed the vault's checks, that is a bug in the vault. In that case,
    // nothing was sent.
    socket.destroy();
    reject(error);
  }
  if (signal.aborted) stop();
  return promise;
}

function writeRequest(sent: ClientRequest, request: OutboundRequest, hostHeader: string): void {
  const { method, headers, connection = [] } = request;
  const body = request.body.reveal();
  sent.setHeader('Host', hostHeader);
  for (const { name, value } of [...headers.reveal(), ...connection]) sent.appendHeader(name, value);
  if (body !== undefined) sent.setHeader('Content-Length', body.length);
  else if (['POST', 'PUT', 'PATCH'].includes(method)) sent.setHeader('Content-Length', 0);
  sent.end(body);
}

/**
 * Returns the body of a response, with backpressure. The destination's response is read no faster than the client reads
 * it.
 */
function toBody(answer: IncomingMessage, { socket, limits, signal, pace }: ExchangeOptions): Readable {
  const body = new ResponseBody(limits.answerBodyBytesMax, pace);
  // The destination may have sent everything long before the client has read it. A client that does not read must not
  // keep the call open.
  const stop = () => body.destroy(toError(signal.reason));
  signal.addEventListener('abort', stop, { once: true });
  // `pipeline` would destroy the body with the error of the connection, and its reader would never see the reason.
  answer.pipe(body);
  finished(answer, { writable: false }, (error) => {
    // This also happens after a complete response, so that anything a destination sends after it is ignored.
    socket.destroy();
    if (error !== null && error !== undefined) body.destroy(toFailure(error, signal));
  });
  body.once('close', () => {
    signal.removeEventListener('abort', stop);
    answer.destroy();
  });
  // Nobody may be reading yet. A reader that begins later gets the error then.
  body.on('error', () => undefined);
  return body;
}

function toFailure(error: unknown, signal: AbortSignal): Error {
  if (signal.aborted) return toError(signal.reason);
  if (error instanceof DestinationFailure) return error;
  const code = codeOf(error);
  return new DestinationFailure(code?.startsWith('HPE_') === true ? 'bad-answer' : 'closed-early', error);
}

function toFields(raw: readonly string[]): HeaderField[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [{ name, value: raw[index + 1] ?? '' }] : []));
}
