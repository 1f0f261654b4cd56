import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CanaryListener } from '../harness/canary-listener.ts';
import { ProxyVault } from '../harness/proxy-vault.ts';
import { chainNames, listSsrfCases } from '../harness/ssrf-cases.ts';
import { askForProxy, callStored, makeKeylessProxy } from '../harness/stored-proxies.ts';
import { fieldsOf } from '../harness/test-application.ts';

/* Destinations of stored proxies are checked when they are stored, and again by every call. */
const corpus = JSON.parse(await readFile(path.join(import.meta.dirname, 'vectors/ssrf-corpus.json'), 'utf8')) as {
  readonly input: string;
}[];

let canary: CanaryListener;
let proxy: ProxyVault;
let urls: readonly string[];
beforeAll(async () => {
  canary = await CanaryListener.start();
  const limits = { callMs: 2_000, connectMs: 300, resolveMs: 500 };
  proxy = await ProxyVault.start({ privateRanges: [], ports: [canary.port], limits });
  const cases = listSsrfCases(canary.port);
  const own = corpus.flatMap(({ input }) => [input, withPort(input.replace(/^http:/, 'https:'))]);
  urls = [...own, ...cases.map(({ url }) => url)];
  for (const [name, answers] of chainNames()) proxy.resolver.set(name, answers);
  for (const url of own) proxy.resolver.set(hostOf(url), ['127.0.0.1', '::1']);
  for (const { url, answers = ['127.0.0.1'] } of cases) proxy.resolver.set(hostOf(url), answers);
});
afterAll(async () => {
  await proxy.stop();
  await canary.stop();
});

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : 'nothing.example');

function withPort(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.port = String(canary.port);
  return url.href;
}

it('400 none of the ways inside can be stored, and nobody arrives', async () => {
  expect(urls.length).toBeGreaterThan(300);
  const stored: unknown[] = [];
  for (const url of urls) {
    const answer = await askForProxy(proxy, { destination_url: url });
    if (answer.status === 400) continue;
    // A name that does not resolve yet can be stored. Calling it leads nowhere.
    const { key } = answer.body as { key: string };
    const called = await callStored(proxy, key, { key: proxy.tenant.keys.private });
    if (called.status !== 403 && called.status !== 502)
      stored.push([url, answer.status, called.status, fieldsOf(answer)]);
  }
  expect(stored).toEqual([]);
  expect(canary.connectionCount).toBe(0);
});

it.each([1, 3])(
  '403 a name that leads inside from question %d on is not called, with or without a key',
  async (from) => {
    const name = `later-${from}.attacker.example`;
    let questions = 0;
    proxy.resolver.set(name, () => {
      questions += 1;
      return questions > from * 2 ? ['127.0.0.1', '::1'] : ['93.184.215.14'];
    });
    const made = await makeKeylessProxy(proxy, { destination_url: `https://${name}:${canary.port}/` });
    for (const key of [undefined, proxy.tenant.keys.private, undefined]) {
      // The call is refused, or it dials an outside address, where nothing listens in a test.
      expect([403, 502]).toContain((await callStored(proxy, made.key, { key })).status);
    }
    expect((await callStored(proxy, made.key)).status).toBe(403);
    expect(canary.connectionCount).toBe(0);
  },
);
