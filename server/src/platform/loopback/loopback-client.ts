import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

export interface LoopbackRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, sent as JSON. */
  readonly body?: unknown;
}

export interface LoopbackResponse {
  readonly status: number;
  /** The body, parsed if it is JSON. */
  readonly body: unknown;
}

const connectionsMax = 16;
const timeoutMs = 30_000;

/** Sends requests to a server in this process, for `strongroom dev`. It calls no other machine. */
export class LoopbackClient {
  readonly #port: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: connectionsMax });

  constructor(url: string) {
    this.#port = new URL(url).port;
  }

  async ask({ method, path, headers, body }: LoopbackRequest): Promise<LoopbackResponse> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = request({
      host: '127.0.0.1',
      port: this.#port,
      agent: this.#agent,
      timeout: timeoutMs,
      method,
      path,
      headers: { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    });
    sent.once('timeout', () => sent.destroy(new Error('The server did not respond in time.')));
    sent.end(text);
    const [response]: IncomingMessage[] = await once(sent, 'response');
    return { status: response?.statusCode ?? 0, body: await readJson(response) };
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function readJson(response: IncomingMessage | undefined): Promise<unknown> {
  let text = '';
  for await (const chunk of response?.setEncoding('utf8') ?? []) text += String(chunk);
  const isJson = response?.headers['content-type']?.includes('json') === true;
  return isJson && text !== '' ? JSON.parse(text) : text;
}
