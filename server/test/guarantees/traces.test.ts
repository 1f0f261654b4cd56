import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { VaultWorker } from '../../src/app/serve/vault-worker.ts';
import { defaultThresholds } from '../../src/platform/audit/watch/alert-rule.ts';
import { spanAttributeNames, spanKinds } from '../../src/platform/telemetry/span-attributes.ts';
import { queueNow } from '../harness/queued-jobs.ts';
import { CanaryScanner } from '../harness/canary-scanner.ts';
import { makeCardNumber } from '../harness/card-number.ts';
import { untilPasses } from '../harness/deadline.ts';
import { ProxyVault } from '../harness/proxy-vault.ts';
import { type TestResponse, TestVault } from '../harness/test-vault.ts';
import { headersOf } from '../harness/tls-destination.ts';
import {
  attributesOf,
  drawTrace,
  type ReceivedSpan,
  toTraceConfig,
  TraceCollector,
} from '../harness/trace-collector.ts';

// One trace shows a request from the edge to the commit and the destination, and never contains a value.

const source = path.resolve(import.meta.dirname, '../../src');
const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

let collector: TraceCollector;
let proxy: ProxyVault;
beforeAll(async () => {
  collector = await TraceCollector.start();
  proxy = await ProxyVault.start({ traces: toTraceConfig(collector.url) });
  // Keys are looked up and unwrapped only once. This request does that, so that the traces under test do not contain
  // it.
  await proxy.store('first');
});
afterAll(async () => {
  await proxy.stop();
  await collector.stop();
});
beforeEach(() => collector.clear());

const create = (headers: Readonly<Record<string, string>> = {}, data: unknown = 'stored') =>
  proxy.vault.request('POST', '/tokens', { key: proxy.tenant.keys.private, body: { type: 'token', data }, headers });

/** Returns the spans of a trace after its first span has arrived. */
function untilReceived(id: string, name: RegExp): Promise<readonly ReceivedSpan[]> {
  return untilPasses(() => {
    const own = collector.spans.filter((span) => span.traceId === id);
    expect(own.map((span) => span.name)).toContainEqual(expect.stringMatching(name));
    return own;
  });
}

const toTraceId = (uuid: string | null) => (uuid ?? '').replaceAll('-', '');

/**
 * Sends requests until the trace of one matches the drawing. The first may differ: a server that has not received
 * changes for a moment looks up keys and settings again, and the trace shows that.
 */
function untilDrawn(send: () => Promise<TestResponse>, expected: readonly string[]) {
  return untilPasses(async () => {
    const answer = await send();
    const id = toTraceId(answer.headers.get('bt-trace-id'));
    const spans = await untilReceived(id, /^POST/);
    expect(drawTrace(spans, id)).toEqual(expected);
    return { answer, spans };
  });
}

describe('a request that stores a token', () => {
  it('is one trace, from the edge through sealing to the commit, under the id in BT-TRACE-ID', async () => {
    const { answer, spans } = await untilDrawn(
      () => create(),
      ['POST /tokens', '  authenticate', '  seal', '  batch', '    transaction', '      statement', '      commit'],
    );
    const named = (name: string) => attributesOf(spans.find((span) => span.name === name));
    expect(named('POST /tokens')).toEqual({
      'http.request.method': 'POST',
      'http.route': '/tokens',
      'http.response.status_code': 201,
      'strongroom.trace_id': answer.headers.get('bt-trace-id'),
      'strongroom.tenant_id': proxy.tenant.id,
    });
    expect(named('batch')).toEqual({ 'strongroom.batch': 'token-create', 'strongroom.items': 1 });
    expect(named('statement')).toEqual({ 'strongroom.statement': 'token-insert' });
    expect(collector.resource).toMatchObject({ 'service.name': 'strongroom', 'strongroom.role': 'serve' });
  });

  it('counts the commit from the answer to the statement', async () => {
    const id = toTraceId((await create()).headers.get('bt-trace-id'));
    const spans = await untilReceived(id, /^POST/);
    const [statement, commit] = ['statement', 'commit'].map((name) => spans.find((span) => span.name === name));
    expect(BigInt(commit?.startTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(statement?.endTimeUnixNano ?? 1));
  });
});

describe('the first request of a tenant', () => {
  it('shows the lookup of its key and the unwrapping of its keys', async () => {
    const { keys } = await proxy.vault.makeTenant();
    const body = { type: 'token', data: 'stored' };
    const { headers } = await proxy.vault.request('POST', '/tokens', { key: keys.private, body });
    const id = toTraceId(headers.get('bt-trace-id'));
    const drawn = drawTrace(await untilReceived(id, /^POST/), id);
    const below = (name: string) => drawn.slice(drawn.indexOf(name) + 1, drawn.indexOf(name) + 3);
    expect(below('  authenticate')).toEqual(['    transaction', '      statement']);
    expect(below('  seal')).toEqual(['    unwrap-keys', '      transaction']);
  });
});

describe('a proxied call', () => {
  it('is one trace that reaches the destination, which is told nothing of it', async () => {
    const token = await proxy.store('a value');
    collector.clear();
    const headers = { 'content-type': 'application/json' };
    const { answer, spans } = await untilDrawn(
      () => proxy.call({ body: `{"v":"{{ ${token} }}"}`, headers }),
      [
        'POST /proxy',
        '  authenticate',
        '  transaction',
        '    statement',
        '    commit',
        '  resolve',
        '  batch',
        '    transaction',
        '      statement',
        '      commit',
        '  connect',
        '  open',
        '  exchange',
      ],
    );
    expect(answer.status).toBe(200);
    expect(attributesOf(spans.find(({ name }) => name === 'exchange'))).toEqual({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
    });
    expect(headersOf(proxy.destination.last)).not.toHaveProperty('traceparent');
    expect(proxy.destination.last.head).not.toContain(spans[0]?.traceId);
  });

  it('says why it failed in a word of our own', async () => {
    const answer = await proxy.call({ url: 'https://nowhere.example' });
    const id = toTraceId(answer.headers.get('bt-trace-id'));
    const spans = await untilReceived(id, /^GET/);
    const resolve = spans.find(({ name }) => name === 'resolve');
    expect(attributesOf(resolve)).toEqual({ 'error.type': 'unresolved' });
    expect(resolve?.status).toEqual({ code: 2 });
  });
});

describe('a trace of the caller', () => {
  it('goes on here, and the log line and BT-TRACE-ID lead to it', async () => {
    const answer = await create({ traceparent });
    const [root] = (await untilReceived(traceId, /^POST/)).filter(({ name }) => name.startsWith('POST'));
    expect(root).toMatchObject({ parentSpanId: 'b7ad6b7169203331', flags: 0x301 });
    const requestId = answer.headers.get('bt-trace-id');
    expect(attributesOf(root)['strongroom.trace_id']).toBe(requestId);
    const line = proxy.vault.logLines.find((it) => it.includes(`"trace_id":"${requestId}"`));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ otel_trace_id: traceId });
  });

  it.each([
    ['not sampled', `00-${traceId}-b7ad6b7169203331-00`],
    ['with an id of zeros', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
    ['of a version that is none', `ff-${traceId}-b7ad6b7169203331-01`],
    ['with more than its version has', `${traceparent}-more`],
    ['twice', `${traceparent}, ${traceparent}`],
    ['that is long', `${traceparent}${'-a'.repeat(2_000)}`],
  ])('is not continued if it is %s', async (_, header) => {
    const answer = await create({ traceparent: header });
    expect(answer.status).toBe(201);
    const after = toTraceId((await create()).headers.get('bt-trace-id'));
    await untilReceived(after, /^POST/);
    expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([]);
  });

  it('cannot make the vault record more traces than it may', async () => {
    const vault = await TestVault.start(undefined, { traces: toTraceConfig(collector.url, { perSecondMax: 1 }) });
    try {
      const { keys } = await vault.makeTenant();
      for (let sent = 0; sent < 50; sent += 1)
        await vault.request('GET', '/tokens', { key: keys.private, headers: { traceparent } });
      const metrics = await vault.request('GET', '/metrics', { url: vault.server.adminUrl });
      const limited = Number(/^strongroom_traces_limited_total (\d+)$/m.exec(metrics.text)?.[1]);
      await vault.server.stop();
      const roots = collector.spans.filter(({ name }) => name === 'GET /tokens');
      expect(roots.length + limited).toBe(50);
      expect(limited).toBeGreaterThan(0);
    } finally {
      await vault.stop();
    }
  });
});

describe('concurrent requests', () => {
  it('each have their own parts, and point to the one that shows the batch they share', async () => {
    // These requests also differ if the server has not received changes for a moment, and looks up keys again.
    await untilPasses(async () => {
      const answers = await Promise.all(Array.from({ length: 60 }, () => create()));
      const ids = answers.map(({ headers }) => toTraceId(headers.get('bt-trace-id')));
      for (const id of ids) await untilReceived(id, /^POST/);
      const { spans } = collector;
      const batches = new Map<string, ReceivedSpan>();
      for (const id of ids) {
        const own = spans.filter((span) => span.traceId === id);
        const counted = ['POST /tokens', 'authenticate', 'seal', 'batch'].map(
          (name) => own.filter((span) => span.name === name).length,
        );
        expect(counted).toEqual([1, 1, 1, 1]);
        const batch = own.find(({ name }) => name === 'batch');
        if (batch !== undefined) batches.set(batch.spanId, batch);
      }
      const carriers = [...batches.values()].filter(({ links }) => links === undefined);
      expect(carriers.length).toBeLessThan(batches.size);
      for (const { links = [] } of batches.values())
        for (const link of links) expect(carriers.map(({ spanId }) => spanId)).toContain(link.spanId);
      const shared = carriers.map((carrier) => attributesOf(carrier)['strongroom.items']);
      expect(shared.reduce<number>((sum, items) => sum + Number(items), 0)).toBe(60);
      for (const { spanId } of carriers)
        expect(
          spans.filter(({ name, parentSpanId }) => name === 'transaction' && parentSpanId === spanId),
        ).toHaveLength(1);
    });
  });
});

describe('what leaves the machine', () => {
  it('holds nothing of what was stored, sent, asked for or called', async () => {
    const number = makeCardNumber();
    const planted = (name: string) => `planted-${name}-${crypto.randomUUID()}`;
    const words = Object.fromEntries(
      ['data', 'metadata', 'header', 'query', 'path', 'trace', 'body', 'host', 'agent', 'key', 'search'].map((name) => [
        name,
        planted(name),
      ]),
    );
    const { private: key } = proxy.tenant.keys;
    const stored = await proxy.vault.request('POST', '/tokens', {
      key,
      body: {
        id: '{{ data.number | alias_card }}',
        type: 'card',
        data: { number, expiration_month: 1, expiration_year: 2040 },
        metadata: { name: words['metadata'] },
        search_indexes: ['{{ data.number }}'],
      },
      headers: {
        'bt-trace-id': words['trace'] ?? '',
        tracestate: `v=${words['header']}`,
        baggage: `b=${words['header']}`,
      },
    });
    expect(stored.status).toBe(201);
    const { id } = stored.body as { id: string };
    await proxy.vault.request('GET', `/tokens/${id}?q=${words['query']}`, { key });
    await proxy.vault.request('GET', `/tokens/${words['path']}`, { key });
    await proxy.vault.request('POST', '/tokens/search', { key, body: { query: `data:${number}` } });
    await proxy.vault.request('POST', '/tokens/search', { key, body: { query: `data:${words['search']}` } });
    await proxy.vault.request('GET', '/tokens', { key: words['key'] ?? '' });
    const secret = await proxy.store(words['data']);
    await proxy.call({
      path: `/${words['path']}/{{ ${secret} }}?q=${words['query']}`,
      body: `${words['body']} {{ ${secret} }}`,
      headers: { 'content-type': 'text/plain', 'x-secret': `${words['header']}`, 'user-agent': `${words['agent']}` },
    });
    await proxy.call({ url: `https://${words['host']}.example` });
    const last = toTraceId((await create()).headers.get('bt-trace-id'));
    await untilReceived(last, /^POST/);
    expect(collector.spans.length).toBeGreaterThan(40);

    const canaries = [...Object.entries(words), ['card number', number], ['api key', key], ['token', id]] as const;
    const scanner = new CanaryScanner(
      canaries.flatMap(([name, text = '']) => (text.length < 16 ? [] : [{ name, bytes: Buffer.from(text) }])),
    );
    const received = [
      ...collector.bodies,
      ...collector.requests.map(({ rawHeaders }) => Buffer.from(rawHeaders.join())),
    ];
    expect(scanner.scan(Buffer.concat(received))).toEqual([]);
    const text = Buffer.concat(received).toString();
    for (const part of [number, number.slice(0, 12), number.slice(-12), id, proxy.url, 'api.provider', '/v1/tokens'])
      expect(text).not.toContain(part);
  });

  it('has only the names and attributes that docs/traces.md lists', async () => {
    await create({ traceparent });
    await untilReceived(traceId, /^POST/);
    const page = await readFile(path.resolve(source, '../../docs/traces.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `([\w.-]+)` *\|/gm)].map(([, name = '']) => name);
    const described = rows.filter((name) => !/^(OTEL|STRONGROOM)_/.test(name));
    expect(described.toSorted()).toEqual([...Object.keys(spanKinds), ...spanAttributeNames].toSorted());
  });
});

describe('a collector in trouble', () => {
  it.each(['refuses', 'is-silent', 'never-ends', 'hangs-up'] as const)(
    'that %s fails no request and is counted',
    async (mood) => {
      collector.mood = mood;
      const before = await readFailed();
      try {
        for (let sent = 0; sent < 20; sent += 1) expect((await create()).status).toBe(201);
        await untilPasses(async () => expect(await readFailed()).toBeGreaterThan(before));
        expect((await create()).status).toBe(201);
      } finally {
        collector.mood = 'takes';
      }
      // The export is retried automatically, without a restart.
      await create();
      await untilPasses(() => expect(collector.bodies.length).toBeGreaterThan(0));
    },
  );

  async function readFailed(): Promise<number> {
    const metrics = await proxy.vault.request('GET', '/metrics', { url: proxy.vault.server.adminUrl });
    return Number(/^strongroom_trace_spans_total\{outcome="failed"\} (\d+)$/m.exec(metrics.text)?.[1]);
  }
});

describe('a stop', () => {
  it('sends what is left', async () => {
    const vault = await TestVault.start(undefined, { traces: toTraceConfig(collector.url) });
    const { keys } = await vault.makeTenant();
    const { headers } = await vault.request('GET', '/tokens', { key: keys.private });
    await vault.stop();
    expect(collector.spans.map((span) => span.traceId)).toContain(toTraceId(headers.get('bt-trace-id')));
  });
});

describe('a job', () => {
  it('is a trace of its own', async () => {
    const worker = await VaultWorker.start(
      {
        ...proxy.vault.config,
        audit: {
          retentionMonths: 13,
          anchorFile: undefined,
          anchorUrl: undefined,
          backupDays: undefined,
          archive: undefined,
          evidenceMonths: undefined,
          alerts: defaultThresholds,
        },
        logStreams: [],
        admin: { host: '127.0.0.1', port: 0 },
        mail: { publicUrl: undefined, smtp: undefined },
        traces: toTraceConfig(collector.url),
        outbound: proxy.vault.outbound,
      },
      { info: () => undefined, warn: () => undefined, error: () => undefined },
    );
    try {
      await queueNow(proxy.vault.database.owner, 'sweep-sessions');
      const [root] = await untilPasses(() => {
        const roots = collector.spans.filter(({ name }) => name === 'job sweep-sessions');
        expect(roots.length).toBeGreaterThan(0);
        return roots;
      });
      expect(attributesOf(root)).toEqual({ 'strongroom.job': 'sweep-sessions' });
      expect(drawTrace(collector.spans, root?.traceId ?? '')).toContain('  transaction');
    } finally {
      await worker.stop();
    }
  });
});

describe('without a collector', () => {
  it('nothing that records is loaded', async () => {
    const program = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
      const { openTracer } = await import('${source}/platform/traces/open-tracer.ts');
      await import('${source}/app/serve/vault-server.ts');
      const recording = () => loaded.filter((url) => /recording-tracer|span-exporter|otlp-request/.test(url));
      const parts = { role: 'serve', logger: { info() {}, warn() {}, error() {} } };
      const tracer = await openTracer(undefined, parts);
      const off = recording();
      await openTracer({ url: 'http://127.0.0.1:9', headers: { reveal: () => ({}) } }, parts);
      console.log(JSON.stringify({ isOn: tracer.isOn, off, on: recording().length }));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
    expect(JSON.parse(stdout)).toEqual({ isOn: false, off: [], on: expect.any(Number) });
    expect((JSON.parse(stdout) as { on: number }).on).toBeGreaterThan(1);
  });
});
