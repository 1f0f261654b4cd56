import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { Facts, History, Outcome } from './history.ts';

/** The request timeout. It is longer than any request may take, so a request that reaches it is hanging. */
const patienceMs = 40_000;

export interface Call {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly facts: Facts;
  /** Extracts the facts of a response that checks need. */
  readonly see?: (body: unknown) => Facts;
}

export interface Reply {
  readonly status: number;
  readonly outcome: Outcome;
  readonly body: unknown;
  readonly endedAt: number;
}

/** Sends requests like an application, over persistent connections, and records the outcome of each. */
export class Client {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #url: string;
  readonly #history: History;

  constructor(url: string, history: History) {
    this.#url = url;
    this.#history = history;
  }

  async send(call: Call): Promise<Reply> {
    const trace = randomUUID();
    const startedAt = Date.now();
    const { status, text } = await this.#exchange(call, trace);
    const body = parse(text);
    const outcome = outcomeOf(status, body);
    const endedAt = Date.now();
    const detail = status >= 400 ? detailOf(body) : '';
    this.#history.add({
      operation: call.operation,
      trace,
      startedAt,
      endedAt,
      status,
      outcome,
      ...(detail === '' ? {} : { detail }),
      facts: { ...call.facts, ...(outcome === 'done' ? call.see?.(body) : {}) },
    });
    return { status, outcome, body, endedAt };
  }

  close(): void {
    this.#agent.destroy();
  }

  #exchange(call: Call, trace: string): Promise<{ status: number; text: string }> {
    const text = call.body === undefined ? undefined : JSON.stringify(call.body);
    const type = call.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = {
      'bt-api-key': call.key,
      'bt-trace-id': trace,
      ...(text === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
      ...call.headers,
    };
    return new Promise((resolve) => {
      const none = () => resolve({ status: 0, text: '' });
      const sent = request(this.#url + call.path, { method: call.method, agent: this.#agent, headers }, (response) => {
        let received = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
        response.once('error', none);
        response.once('end', () => resolve({ status: response.statusCode ?? 0, text: received }));
      });
      sent.setTimeout(patienceMs, () => sent.destroy());
      sent.once('error', none);
      sent.once('close', none);
      sent.end(text);
    });
  }
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the outcome. A refusal is only certain if the vault reports it, with a 4xx status or in its message. */
function outcomeOf(status: number, body: unknown): Outcome {
  if (status >= 200 && status < 300) return 'done';
  if (status >= 400 && status < 500 && status !== 408) return 'refused';
  return /nothing was changed/i.test(detailOf(body)) ? 'refused' : 'unknown';
}

interface Problem {
  readonly detail?: string;
  readonly errors?: unknown;
}

function detailOf(body: unknown): string {
  const { proxy_error: ofProxy, ...own } = (body ?? {}) as Problem & { proxy_error?: Problem };
  const { detail = '', errors } = ofProxy ?? own;
  return errors === undefined ? detail : `${detail} ${JSON.stringify(errors)}`.trim();
}
