import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { WebhookSender } from '../../src/features/webhooks/index.ts';
import { Outbound } from '../../src/platform/outbound/outbound.ts';
import { CanaryListener } from '../harness/canary-listener.ts';
import { ProxyVault } from '../harness/proxy-vault.ts';
import { chainNames, listSsrfCases } from '../harness/ssrf-cases.ts';
import type { TestResolver } from '../harness/test-resolver.ts';

// The corpus of ssrf.test.ts, as addresses of webhooks: refused when they are registered, and again when an event is sent
// to an address that was stored in another way or leads elsewhere since.

let canary: CanaryListener;
let proxy: ProxyVault;
let urls: readonly string[];

beforeAll(async () => {
  canary = await CanaryListener.start();
  const limits = { callMs: 2_000, connectMs: 300, resolveMs: 500 };
  proxy = await ProxyVault.start({ privateRanges: [], ports: [canary.port], limits });
  const cases = listSsrfCases(canary.port).filter(({ layer }) => layer !== 'header');
  const file = path.join(import.meta.dirname, 'vectors/ssrf-corpus.json');
  const corpus = (JSON.parse(await readFile(file, 'utf8')) as { input: string }[]).map(({ input }) => input);
  const https = corpus.map((text) => text.replace(/^http:/, 'https:'));
  fillResolver(proxy.resolver, [...corpus, ...https]);
  for (const { url, answers } of cases) proxy.resolver.set(hostOf(url), answers ?? ['127.0.0.1']);
  for (const [name, answers] of chainNames()) proxy.resolver.set(name, answers);
  urls = [...corpus, ...https, ...https.map(withPort), ...cases.map(({ url }) => url)];
});
afterAll(async () => {
  await proxy.stop();
  await canary.stop();
});

/** Makes each name lead to the canary. */
function fillResolver(resolver: TestResolver, texts: readonly string[]): void {
  for (const text of texts) resolver.set(hostOf(text), ['127.0.0.1', '::1']);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : 'nothing.example';
}

function withPort(text: string): string {
  return text.replace(/^(https:\/\/[^/?#]*?)(?::\d+)?(?=[/?#]|$)/, `$1:${canary.port}`);
}

describe('an address that must not be called', () => {
  it('is refused when a webhook is created or changed', async () => {
    const { management: key } = proxy.tenant.keys;
    const settings = { name: 'Receiver', url: 'https://unresolved.example.com/', events: ['token.created'] };
    const made = await proxy.vault.request('POST', '/webhooks', { key, body: settings });
    expect(made.status).toBe(201);
    const { id } = made.body as { id: string };
    const accepted: string[] = [];
    for (const url of urls) {
      const body = { ...settings, url };
      const created = await proxy.vault.request('POST', '/webhooks', { key, body });
      const changed = await proxy.vault.request('PUT', `/webhooks/${id}`, { key, body });
      if (created.status !== 400 || changed.status !== 400) accepted.push(url);
    }
    expect(accepted).toEqual([]);
    expect(canary.connectionCount).toBe(0);
    expect((await proxy.vault.request('GET', `/webhooks/${id}`, { key })).body).toMatchObject({ url: settings.url });
  });

  it('gets no event, and the log of deliveries does not say where it leads', async () => {
    const sender = new WebhookSender(new Outbound(proxy.vault.outbound));
    const message = { id: crypto.randomUUID(), headers: [], body: '{}' };
    const tenantId = parseTenantId(proxy.tenant.id);
    const results = await Promise.all(
      urls.map(async (url) => ({ url, ...(await sender.send(tenantId, url, message)) })),
    );
    const isQuiet = (error: string | null) => error !== null && /^refused: [a-z-]+$/.test(error);
    expect(results.filter(({ outcome, error }) => outcome !== 'failed' || !isQuiet(error))).toEqual([]);
    expect(canary.connectionCount).toBe(0);
  });
});
