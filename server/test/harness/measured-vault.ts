import { type ChildProcess, fork } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request as sendHttp } from 'node:http';
import path from 'node:path';
import { type RateLimitTable, rateLimitScopes, withLimits } from '../../src/platform/rate-limit/rate-limit-table.ts';
import { type OutboundConfig, outboundLimits } from '../../src/platform/outbound/outbound-config.ts';
import type { MeasuredConfig, MeasuredOrder, MeasuredOwnKey } from './measured-vault-process.ts';
import type { StatementReport } from './statement-meter.ts';
import { plainServing, type TestVault } from './test-vault.ts';
import type { TurnReport } from './turn-meter.ts';

/** The bundle of the process, if the run has made one, and otherwise its source. */
const program = process.env['MEASURED_VAULT_MAIN'] ?? path.resolve(import.meta.dirname, 'measured-vault-process.ts');
/** The maximum CPU time, on a quiet machine, that a request may take before others run. */
const turnMaxMs = 50;
const warmingCreates = 200;
const measuredCreates = 41;
const attemptsMax = 6;

export interface MeasuredRequest {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body?: string | Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface MeasuredResponse extends TurnReport, StatementReport {
  readonly status: number;
  readonly text: string;
}

/** A second server on a test vault's database, whose event loop is measured while it serves a request. */
export class MeasuredVault {
  /** The longest turn that a request may take: 50 ms, or the equivalent on a machine that is slow at the moment. */
  turnMaxMs = turnMaxMs;
  /** The longest turn of a plain create: the median of many measurements. */
  plainCreateMs = 0;
  readonly #process: ChildProcess;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });
  #url = '';
  #orders = 0;

  /** Warms the server up with ordinary requests until its code is compiled, then measures a plain create. */
  static async start(vault: TestVault, key: string, outbound: Partial<OutboundConfig> = {}): Promise<MeasuredVault> {
    const measured = await MeasuredVault.serve(vault, { outbound });
    const create = (count: number) => ({ method: 'POST', path: '/tokens', key, body: plainToken(count) });
    await Promise.all(Array.from({ length: warmingCreates }, (_, count) => measured.send(create(count))));
    const longest: number[] = [];
    for (let count = 0; count < measuredCreates; count += 1) {
      const answer = await measured.measure(create(count));
      if (answer.status !== 201) throw new Error(`A plain create failed: ${answer.text}`);
      longest.push(answer.longestMs);
    }
    measured.plainCreateMs = longest.toSorted((a, b) => a - b)[Math.floor(longest.length / 2)] ?? 0;
    await measured.#allowForSlowness();
    return measured;
  }

  /** Starts the server without warming it up, with its own limits if given. */
  static async serve(
    vault: TestVault,
    own: {
      readonly outbound?: Partial<OutboundConfig>;
      readonly limits?: RateLimitTable;
      readonly ownKey?: MeasuredOwnKey;
    } = {},
  ): Promise<MeasuredVault> {
    const measured = new MeasuredVault();
    if (vault.fileKey === undefined) throw new Error('A measured vault needs a root key whose bytes are known.');
    const { fileKey: rootKey } = vault;
    const order = { kind: 'start', config: toConfig(vault, own), rootKey, ownKey: own.ownKey } as const;
    measured.#url = (await measured.#order(order)) as string;
    return measured;
  }

  private constructor() {
    const execArgv = process.env['MEASURED_NODE_OPTIONS']?.split(' ') ?? [];
    this.#process = fork(program, { serialization: 'advanced', execArgv });
  }

  get url(): string {
    return this.#url;
  }

  /** Returns the resident memory of the process. */
  async residentMebibytes(): Promise<number> {
    const status = await readFile(`/proc/${this.#process.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  }

  /** Returns the number of files and connections that the process has open. */
  async openCount(): Promise<number> {
    return (await readdir(`/proc/${this.#process.pid}/fd`)).length;
  }

  async measure(request: MeasuredRequest): Promise<MeasuredResponse> {
    await this.#order({ kind: 'begin' });
    const answer = await this.send(request);
    return { ...answer, ...((await this.#order({ kind: 'end' })) as TurnReport & StatementReport) };
  }

  /**
   * Repeats the measurement while a turn was too long, and returns the shortest. The cost of the request itself shows
   * up in every repetition. Garbage from earlier requests and other work on the machine do not.
   */
  async measureShort(request: MeasuredRequest): Promise<MeasuredResponse> {
    let shortest = await this.measure(request);
    for (let attempt = 1; attempt < attemptsMax && shortest.longestMs >= this.turnMaxMs; attempt += 1) {
      await this.#allowForSlowness();
      const again = await this.measure(request);
      if (again.longestMs < shortest.longestMs) shortest = again;
    }
    return shortest;
  }

  /** Adjusts the limit, because the machine may have become slower or faster since the last check. */
  async #allowForSlowness(): Promise<void> {
    const slowness = (await this.#order({ kind: 'slowness' })) as number;
    this.turnMaxMs = Math.max(turnMaxMs * slowness, 8 * this.plainCreateMs);
  }

  /** Returns the longest turn while several requests are served at the same time. */
  async measureAll(requests: readonly MeasuredRequest[]): Promise<TurnReport> {
    await this.#order({ kind: 'begin' });
    await Promise.all(requests.map((request) => this.send(request)));
    return (await this.#order({ kind: 'end' })) as TurnReport;
  }

  send({ method, path: target, key, body, headers }: MeasuredRequest): Promise<{ status: number; text: string }> {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(this.#url);
      const options = {
        hostname,
        port,
        method,
        path: target,
        agent: this.#agent,
        headers: {
          ...(key === '' ? {} : { 'bt-api-key': key }),
          ...(bytes === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(bytes.length) }),
          ...headers,
        },
      };
      const outgoing = sendHttp(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      });
      outgoing.on('error', reject);
      outgoing.end(bytes);
    });
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    const exited = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.send({ number: 0, order: { kind: 'stop' } satisfies MeasuredOrder });
    await exited;
  }

  /**
   * Sends a numbered order. The number prevents a late reply that a test no longer waits for from being mistaken for
   * the next one.
   */
  #order(order: MeasuredOrder): Promise<unknown> {
    this.#orders += 1;
    const number = this.#orders;
    return new Promise((resolve, reject) => {
      const hear = (message: unknown) => {
        const outcome = message as { number: number; answer?: unknown; error?: string };
        if (outcome.number !== number) return;
        this.#process.off('message', hear);
        if (outcome.error === undefined) resolve(outcome.answer);
        else reject(new Error(outcome.error));
      };
      this.#process.on('message', hear);
      this.#process.send({ number, order });
    });
  }
}

function plainToken(count: number): string {
  return JSON.stringify({ type: 'token', data: { name: 'Plain', count }, metadata: { kind: 'plain' } });
}

function toConfig(
  { config }: TestVault,
  { outbound, limits }: { readonly outbound?: Partial<OutboundConfig>; readonly limits?: RateLimitTable },
): MeasuredConfig {
  const table = limits ?? withLimits(Object.fromEntries(rateLimitScopes.map((scope) => [scope, 1_000_000])));
  return {
    ...plainServing,
    cell: undefined,
    database: { ...config.database, connectionsMax: 8 },
    listen: { publicUrl: 'http://localhost', host: '127.0.0.1', port: 0, adminHost: '127.0.0.1', adminPort: 0 },
    limits: {
      table,
      ownTable: table,
      ownNetworks: [],
      countsRequests: true,
      redisUrl: undefined,
      trustedProxies: [],
      containerSets: { tenantMax: 100_000, publicDailyMax: 1_000 },
    },
    outbound: {
      authorities: undefined,
      clientCertificates: [],
      privateRanges: [],
      hosts: [],
      ports: [],
      resolvers: ['127.0.0.1:9'],
      requiresDestinationList: false,
      callsPerTenantMax: 100,
      limits: outboundLimits,
      ...outbound,
    },
    logLevel: 'silent',
  };
}
