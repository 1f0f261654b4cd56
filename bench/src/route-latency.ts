import { Agent, request } from 'node:http';
import type { BenchVault } from './bench-vault.ts';
import { median, percentile } from './median.ts';

interface Place {
  readonly host: string;
  readonly port: number;
}

interface Case {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly times: number[];
}

const body = JSON.stringify({ order: 7, card: { number: '4242424242424242', name: 'Ada' } });
const transform = {
  type: 'tokenize',
  options: { location: '$.card.number', token: { type: 'card_number', data: '{{ value }}' } },
};
const warmUpRounds = 50;

/**
 * Compares calls through stored proxies with calls through the plain proxy, in turn and over one connection. All of them
 * send the same body.
 */
export async function measureRoutes(vault: BenchVault, place: Place, rounds: number): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const destination = `https://${place.host}:${place.port}`;
  const make = async (transforms: readonly object[]) => {
    const settings = { name: 'Route', destination_url: destination, request_transforms: transforms };
    const answer = await ask(vault, '/proxies', {
      headers: { 'bt-api-key': vault.managementKey },
      text: JSON.stringify(settings),
      agent,
    });
    if (answer.status !== 201) throw new Error(`No proxy was made: ${answer.text}`);
    return (JSON.parse(answer.text) as { key: string }).key;
  };
  const key = { 'bt-api-key': vault.key };
  const cases: Case[] = [
    { name: 'plain proxy', headers: { ...key, 'bt-proxy-url': destination }, times: [] },
    { name: 'route', headers: { ...key, 'bt-proxy-key': await make([]) }, times: [] },
    { name: 'route that tokenizes', headers: { ...key, 'bt-proxy-key': await make([transform]) }, times: [] },
  ];
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const one of cases) {
      const startedAt = performance.now();
      const { status } = await ask(vault, '/proxy', { headers: one.headers, text: body, agent });
      if (status !== 200) throw new Error(`${one.name} answered ${status}.`);
      if (round >= 0) one.times.push(performance.now() - startedAt);
    }
  }
  agent.destroy();
  const [plain] = cases;
  for (const { name, times } of cases) {
    const ratio = median(times) / median(plain?.times ?? times);
    process.stdout.write(
      `${name.padEnd(25)} p50 ${median(times).toFixed(2)} ms, p99 ${percentile(times, 0.99).toFixed(2)} ms, ${ratio.toFixed(2)} of the plain proxy at p50\n`,
    );
  }
  process.stdout.write('limit                     1.50\n\n');
}

function ask(
  { url }: BenchVault,
  path: string,
  {
    headers,
    text,
    agent,
  }: { readonly headers: Readonly<Record<string, string>>; readonly text: string; readonly agent: Agent },
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        method: 'POST',
        host: hostname,
        port,
        path,
        headers: { ...headers, 'content-type': 'application/json' },
        agent,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('end', () =>
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
        answer.once('error', reject);
      },
    );
    sent.once('error', reject).end(text);
  });
}
