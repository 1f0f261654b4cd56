import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions, request as httpsRequest } from 'node:https';
import { limitedBody } from './limited-body.ts';

/** The response of an operator's service. The caller decides whether it is a success. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly body: string;
}

export interface ServiceCall {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const connectionsMax = 8;
/**
 * The default timeout. It is shorter than the time that a request waits for the key service, so that the log shows the
 * actual cause.
 */
const usualTimeoutMs = 4_000;

/**
 * A service configured by the operator, such as a key service. The address is as trusted as the configuration. Nothing
 * that a caller sends can influence where requests go. There are few connections, and they are kept alive. Further
 * calls are queued, and the time in the queue counts as part of the call.
 */
export class OperatorService {
  readonly #url: string;
  readonly #agent: HttpAgent;
  readonly #options: Pick<AskOptions, 'ca' | 'timeoutMs'>;

  /** If an authority is given, as PEM, no other authority is trusted. */
  constructor(
    url: string,
    { authority, timeoutMs }: { readonly authority?: string | undefined; readonly timeoutMs?: number } = {},
  ) {
    this.#url = url.replace(/\/$/, '');
    this.#options = { ...(authority === undefined ? {} : { ca: authority }), timeoutMs: timeoutMs ?? usualTimeoutMs };
    const options = { keepAlive: true, maxSockets: connectionsMax };
    this.#agent = url.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /**
   * Sends a request, and retries if a kept connection turns out to be closed. Requests must therefore be safe to
   * repeat.
   */
  async ask(path: string, call: ServiceCall): Promise<ServiceResponse> {
    const url = `${this.#url}${path}`;
    try {
      return await askOnce(url, call, { ...this.#options, agent: this.#agent });
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      return askOnce(url, call, { ...this.#options, agent: false });
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

interface AskOptions extends Pick<RequestOptions, 'agent' | 'ca'> {
  readonly timeoutMs?: number;
}

/** Sends one request, over its own connection unless the options have an agent. */
export function askOnce(
  url: string,
  call: ServiceCall,
  { timeoutMs = usualTimeoutMs, agent = false, ...tls }: AskOptions = {},
): Promise<ServiceResponse> {
  const { method = 'POST', headers = {}, body = '' } = call;
  const length = method === 'GET' ? {} : { 'content-length': Buffer.byteLength(body) };
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        ...tls,
        agent,
        method,
        minVersion: 'TLSv1.2',
        signal: AbortSignal.timeout(timeoutMs),
        headers: { ...headers, ...length },
      },
      (answer) => {
        readBody(answer).then(
          (text) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }),
          reject,
        );
      },
    );
    sent.on('error', (error: NodeJS.ErrnoException) => {
      reject(sent.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection() : error);
    });
    // Without a listener, Node closes such a connection and reports nothing, so the caller would wait forever.
    sent.on('upgrade', (_answer, socket) => {
      socket.destroy();
      reject(new Error('The service changed the protocol.'));
    });
    sent.end(body);
  });
}

class StaleConnection extends Error {}

async function readBody(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of limitedBody(answer) as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
