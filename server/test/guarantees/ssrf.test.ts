import { connect } from 'node:net';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AddressGuard } from '../../src/platform/outbound/address-guard.ts';
import { DestinationRefusal } from '../../src/platform/outbound/destination-refusal.ts';
import { parseDestinationUrl } from '../../src/platform/outbound/destination-url.ts';
import { CanaryListener } from '../harness/canary-listener.ts';
import { untilTrue } from '../harness/deadline.ts';
import { getRange, ProxyVault } from '../harness/proxy-vault.ts';
import { chainNames, listSsrfCases, type SsrfCase } from '../harness/ssrf-cases.ts';
import type { TestResolver } from '../harness/test-resolver.ts';

interface CorpusLine {
  readonly id: string;
  readonly input: string;
  readonly whatwg_host: string;
  readonly verdict_https_variant: 'deny' | 'resolve';
  readonly address_layer: 'deny' | 'allow' | 'n/a';
}

const file = path.join(import.meta.dirname, 'vectors/ssrf-corpus.json');
const corpus = JSON.parse(await readFile(file, 'utf8')) as CorpusLine[];
const toHttps = (text: string) => text.replace(/^http:/, 'https:');

let canary: CanaryListener;
/** A vault with the default settings. */
let closed: ProxyVault;
/** A vault that may call every address. If it refuses a request, the reason is the text of the URL, not the address. */
let open: ProxyVault;
let cases: SsrfCase[];

beforeAll(async () => {
  canary = await CanaryListener.start();
  const limits = { callMs: 2_000, connectMs: 300, resolveMs: 500 };
  const ports = [canary.port];
  closed = await ProxyVault.start({ privateRanges: [], ports, limits });
  open = await ProxyVault.start({ privateRanges: [getRange('0.0.0.0/0'), getRange('::/0')], ports, limits });
  cases = listSsrfCases(canary.port);
  for (const { resolver } of [closed, open]) fillResolver(resolver);
});
beforeEach(() => {
  canary.connectionCount = 0;
});
afterAll(async () => {
  await Promise.all([closed.stop(), open.stop()]);
  await canary.stop();
});

/** Makes every name lead to the canary unless its case says otherwise. */
function fillResolver(resolver: TestResolver): void {
  for (const [name, answers] of chainNames()) resolver.set(name, answers);
  for (const { url, answers = ['127.0.0.1'] } of cases) resolver.set(hostOf(url), answers);
  for (const { input } of corpus) resolver.set(hostOf(toHttps(input)), ['127.0.0.1', '::1']);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : 'nothing.example';
}

interface Refused {
  readonly name: string;
  readonly status: number;
  readonly records: readonly unknown[];
}

/** Makes all calls. Returns those that were not refused, or that did not leave exactly one record of a denial. */
async function callAll(proxy: ProxyVault, calls: readonly Pick<SsrfCase, 'name' | 'url' | 'headers'>[]) {
  const traces = calls.map(() => crypto.randomUUID());
  const refused: Refused[] = [];
  for (const [index, { name, url, headers }] of calls.entries()) {
    const trace = { 'bt-trace-id': traces[index] ?? '' };
    // Header values are bytes, so non-ASCII characters arrive as UTF-8.
    const wire = Buffer.from(url, 'utf8').toString('latin1');
    const { status } = await proxy.call({ url: wire, headers: { ...trace, ...headers } });
    refused.push({ name, status, records: [] });
  }
  const records = await proxy.vault.auditRecords(proxy.tenant.id);
  return refused
    .map((call, index) => ({ ...call, records: records.filter((record) => record['request_id'] === traces[index]) }))
    .filter(({ status, records }) => {
      const [record] = records;
      const isDenial = record?.['outcome'] === 'denied' && record['operation'] === 'invoke';
      return (status !== 400 && status !== 403) || records.length !== 1 || !isDenial;
    });
}

/**
 * Some lines cannot be sent in an HTTP header, so they never reach the proxy. They are tested directly on the parser.
 */
const isCarried = ({ input }: CorpusLine) => !/[\r\n\0]/.test(input);

describe('the corpus', () => {
  it('has all of its 110 lines, and this file 190 more', () => {
    expect(corpus).toHaveLength(110);
    expect(cases.length).toBeGreaterThanOrEqual(190);
  });

  it.each([
    ['as it stands', (text: string) => text],
    ['with https', toHttps],
    ['with https and a port that may be called', (text: string) => withPort(toHttps(text))],
  ])('is refused %s, one record each, and nobody arrives inside', async (_name, change) => {
    const calls = corpus.filter(isCarried).map(({ id, input }) => ({ name: id, url: change(input) }));
    expect(await callAll(closed, calls)).toEqual([]);
    expect(canary.connectionCount).toBe(0);
  });

  it('is refused for its text alone, as far as it is for that layer', async () => {
    const own = corpus.filter((line) => line.verdict_https_variant === 'deny');
    const wrong = own.filter(({ input }) => {
      const urls = [input, toHttps(input), withPort(toHttps(input))];
      return !urls.every((url) => isRefusal(() => parseDestinationUrl(url, { hosts: [], ports: [canary.port] })));
    });
    expect(wrong.map(({ id }) => id)).toEqual([]);
    const calls = own.filter(isCarried).map(({ id, input }) => ({ name: id, url: withPort(toHttps(input)) }));
    expect(calls.length).toBeGreaterThan(95);
    expect(await callAll(open, calls)).toEqual([]);
    expect(canary.connectionCount).toBe(0);
  });

  it('is refused for its addresses alone, as far as it is for that layer', async () => {
    const guard = new AddressGuard({ resolvers: [closed.resolver.address], privateRanges: [], resolveMs: 500 });
    const verdicts = corpus.map(async ({ id, whatwg_host, address_layer, verdict_https_variant }) => {
      const isName = verdict_https_variant === 'resolve';
      if (address_layer === 'n/a' && !isName) return [id, true];
      const isDenied = await guard.vet(whatwg_host).then(() => false, isAddressRefusal);
      return [id, isDenied === (address_layer !== 'allow')];
    });
    expect((await Promise.all(verdicts)).filter(([, isRight]) => !isRight)).toEqual([]);
  });

  it('has lines that only the second layer stops: without it they arrive inside', async () => {
    const passing = corpus.filter((line) => line.verdict_https_variant === 'resolve' && isCarried(line));
    expect(passing.length).toBeGreaterThan(4);
    for (const { input } of passing) await open.call({ url: withPort(toHttps(input)) });
    expect(canary.connectionCount).toBeGreaterThanOrEqual(passing.length);
  });
});

describe('further ways inside', () => {
  it('are refused, one record each, and nobody arrives', async () => {
    expect(await callAll(closed, cases)).toEqual([]);
    expect(canary.connectionCount).toBe(0);
  });

  it('are refused for their text alone, where that is what is wrong with them', async () => {
    const own = cases.filter(({ layer }) => layer !== 'address');
    expect(own.length).toBeGreaterThan(100);
    expect(await callAll(open, own)).toEqual([]);
    expect(canary.connectionCount).toBe(0);
  });

  it('are refused for their addresses alone, where that is what is wrong with them', async () => {
    const guard = new AddressGuard({ resolvers: [closed.resolver.address], privateRanges: [], resolveMs: 500 });
    const own = cases.filter(({ layer }) => layer === 'address');
    expect(own.length).toBeGreaterThan(90);
    for (const { name, url } of own) {
      expect([name, await guard.vet(hostOf(url)).then(() => false, isAddressRefusal)]).toEqual([name, true]);
    }
  });

  it('arrive inside where the operator has said so: the canary is awake', async () => {
    await open.call({ url: `https://anything.attacker.example:${canary.port}/` }).catch(() => undefined);
    open.resolver.set('anything.attacker.example', ['127.0.0.1']);
    await open.call({ url: `https://anything.attacker.example:${canary.port}/` });
    expect(canary.connectionCount).toBe(1);
  });
});

describe('a name that changes its mind', () => {
  const outside = '93.184.215.14';
  it.each([1, 2, 3, 4, 5, 6])(
    'is asked once, and what it said then is what is dialled: inside from question %d on',
    async (from) => {
      const name = `rebinding-${from}.attacker.example`;
      let questions = 0;
      closed.resolver.set(name, () => {
        questions += 1;
        return questions >= from ? ['127.0.0.1', '::1'] : [outside];
      });
      for (let call = 0; call < 3; call += 1) {
        const answer = await closed.call({ url: `https://${name}:${canary.port}/` });
        // The call is refused, or it dials an outside address, where nothing listens in a test.
        expect([403, 502]).toContain(answer.status);
      }
      expect(canary.connectionCount).toBe(0);
      // There is one DNS query per address family, and no other.
      expect(questions).toBe(6);
    },
  );
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('%d to the inside is given back and not followed', async (status) => {
    const behaviour = new Map([
      ['/a', `https://127.0.0.1:${canary.port}/`],
      ['/b', `https://inside.attacker.example:${canary.port}/`],
      ['/c', `//[::1]:${canary.port}/`],
    ]);
    const proxy = await ProxyVault.start({
      behaviour: (socket, { head }) => {
        const location = behaviour.get(head.split(' ')[1] ?? '') ?? '';
        socket.end(`HTTP/1.1 ${status} Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`);
      },
    });
    for (const [path, location] of behaviour) {
      const answer = await proxy.call({ path });
      expect([answer.status, answer.headers.get('location')]).toEqual([status, location]);
    }
    expect(canary.connectionCount).toBe(0);
    await proxy.stop();
  });
});

describe('the canary', () => {
  it('sees anyone who comes, over both families', async () => {
    for (const host of ['127.0.0.1', '::1']) connect({ host, port: canary.port }).on('error', () => undefined);
    await untilTrue(() => canary.connectionCount === 2, { waitingFor: 'two connections' });
  });
});

/** Adds the canary's port to a URL without one. */
function withPort(url: string): string {
  return url.replace(/^(https:\/\/)([^/?#\\@]*)/i, (whole, scheme: string, host: string) =>
    /:\d*$/.test(host) || host === '' ? whole : `${scheme}${host}:${canary.port}`,
  );
}

function isRefusal(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch (error) {
    return error instanceof DestinationRefusal;
  }
}

function isAddressRefusal(error: unknown): boolean {
  return error instanceof DestinationRefusal && error.reason.startsWith('address-');
}
