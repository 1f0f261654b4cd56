import { Agent, request } from 'node:http';
import { setTimeout as pauseFor } from 'node:timers/promises';

const clients = 4;
const pauseMs = 30;
const slowClients = 2;
/**
 * The time is longer than a server keeps accepting connections after the signal, so such a request is still in progress
 * when it stops accepting them.
 */
const slowBodyMs = 2_500;

/** Clients that send requests one at a time over persistent connections until they are stopped. */
export class ClientLoad {
  readonly #url: string;
  readonly #key: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #clients: Promise<void>[];
  readonly failures: string[] = [];
  #isOver = false;
  #succeeded = 0;
  #slow = 0;

  constructor(at: { readonly url: string; readonly key: string }) {
    this.#url = at.url;
    this.#key = at.key;
    this.#clients = [
      ...Array.from({ length: clients }, () => this.#repeat(() => this.#createAndRead())),
      ...Array.from({ length: slowClients }, () => this.#repeat(() => this.#createSlowly())),
    ];
  }

  async stop(): Promise<{ succeeded: number; slow: number }> {
    this.#isOver = true;
    await Promise.all(this.#clients);
    this.#agent.destroy();
    return { succeeded: this.#succeeded, slow: this.#slow };
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      await work().catch((error: unknown) => this.failures.push(String(error)));
      // The pause leaves CPU time for servers that are starting.
      await pauseFor(pauseMs);
    }
  }

  async #createAndRead(): Promise<void> {
    const { id } = await this.#send('POST', '/tokens', 201, async (sent) => sent.end('{"type":"token","data":"kept"}'));
    await this.#send('GET', `/tokens/${id}`, 200, async (sent) => sent.end());
  }

  async #createSlowly(): Promise<void> {
    await this.#send('POST', '/tokens', 201, async (sent) => {
      sent.write('{"type":"token",');
      await pauseFor(slowBodyMs);
      sent.end('"data":"slow"}');
    });
    this.#slow += 1;
  }

  async #send(
    method: string,
    path: string,
    expected: number,
    write: (sent: ReturnType<typeof request>) => Promise<unknown>,
  ): Promise<{ id: string }> {
    const headers = { 'bt-api-key': this.#key, 'content-type': 'application/json' };
    const sent = request(`${this.#url}${path}`, { method, agent: this.#agent, headers });
    const answered = new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      sent.once('error', reject);
      sent.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('error', reject);
        response.once('end', () => resolve({ status: response.statusCode, text }));
      });
    });
    const [{ status, text }] = await Promise.all([answered, write(sent)]);
    if (status !== expected) throw new Error(`${method} ${path} got ${status}`);
    this.#succeeded += 1;
    return JSON.parse(text) as { id: string };
  }
}
