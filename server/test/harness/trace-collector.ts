import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sensitive } from '../../src/core/identity/sensitive.ts';
import type { TraceConfig } from '../../src/platform/traces/trace-config.ts';

/** A span in OTLP format. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: number };
  }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code: number };
  readonly flags: number;
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: ReceivedSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

/** The way in which a collector treats spans. */
export type CollectorMood = 'takes' | 'refuses' | 'takes-some' | 'is-silent' | 'never-ends' | 'hangs-up';

/** An OTLP receiver over HTTP that keeps every byte it receives. */
export class TraceCollector {
  readonly url: string;
  readonly bodies: Buffer[] = [];
  readonly requests: IncomingMessage[] = [];
  mood: CollectorMood = 'takes';
  readonly #server: Server;

  static async start(): Promise<TraceCollector> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TraceCollector(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}/v1/traces`;
    server.on('request', (request, response) => void this.#receive(request, response));
  }

  /** All accepted spans. */
  get spans(): readonly ReceivedSpan[] {
    return this.#parsed.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
  }

  get resource(): Readonly<Record<string, unknown>> {
    const [first] = this.#parsed.flatMap(({ resourceSpans }) => resourceSpans);
    return toObject(first?.resource.attributes ?? []);
  }

  get #parsed(): readonly OtlpRequest[] {
    return this.bodies.map((body) => JSON.parse(body.toString('utf8')) as OtlpRequest);
  }

  clear(): void {
    this.bodies.length = 0;
    this.requests.length = 0;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    this.requests.push(request);
    if (this.mood === 'hangs-up') request.socket.destroy();
    else if (this.mood === 'refuses') response.writeHead(500).end('not now');
    else if (this.mood === 'never-ends') flood(response);
    else if (this.mood !== 'is-silent') {
      this.bodies.push(Buffer.concat(chunks));
      const body = this.mood === 'takes-some' ? { partialSuccess: { rejectedSpans: '1' } } : {};
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }
  }
}

export function toTraceConfig(url: string, more: Partial<TraceConfig> = {}): TraceConfig {
  return {
    url,
    protocol: 'http/json',
    headers: new Sensitive({}),
    sampler: 'parentbased_always_on',
    ratio: 1,
    perSecondMax: 100_000,
    serviceName: 'strongroom',
    resource: {},
    ...more,
  };
}

export function attributesOf(span: ReceivedSpan | undefined): Readonly<Record<string, string | number>> {
  return toObject(span?.attributes ?? []);
}

/** Returns a trace as indented names, in the order in which its spans began. */
export function drawTrace(spans: readonly ReceivedSpan[], traceId: string): string[] {
  const own = spans
    .filter((span) => span.traceId === traceId)
    .toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)));
  const ids = new Set(own.map(({ spanId }) => spanId));
  const draw = (parent: string | undefined, depth: number): string[] =>
    own
      .filter(({ parentSpanId }) => (depth === 0 ? !ids.has(parentSpanId ?? '') : parentSpanId === parent))
      .flatMap((span) => [`${'  '.repeat(depth)}${span.name}`, ...draw(span.spanId, depth + 1)]);
  return draw(undefined, 0);
}

function toObject(attributes: ReceivedSpan['attributes']): Record<string, string | number> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']));
}

function flood(response: ServerResponse): void {
  response.writeHead(200);
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const write = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', write).on('error', () => undefined);
  write();
}
