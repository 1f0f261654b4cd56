import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BenchVault } from './bench-vault.ts';
import { measureCreates, printCosts } from './cost-of-creates.ts';

/*
 * Measures the cost of traces. It compares vaults without a collector, with the default (100 traces per second), with
 * one in twenty requests traced, and with every request traced. The goal applies to the server's processor time per
 * token with one in twenty traced, because that cost does not depend on the request rate, unlike that of the default.
 * The collector runs in this process, not in the server's. Requires wrk.
 */
const costMax = 0.03;

let receivedBytes = 0;
const collector = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
  });
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
});
collector.listen(0, '127.0.0.1');
await once(collector, 'listening');
const endpoint = {
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
};

const unlimited = { ...endpoint, STRONGROOM_TRACES_PER_SECOND: '100000' };
const oneInTwenty = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.05' };

const costs = await measureCreates(
  {
    off: await BenchVault.start('apart'),
    default: await BenchVault.start('apart', endpoint),
    twentieth: await BenchVault.start('apart', { ...unlimited, ...oneInTwenty }),
    all: await BenchVault.start('apart', unlimited),
  },
  () => receivedBytes,
);
printCosts(costs, ({ counted_per_second }) => `  ${counted_per_second} bytes/s of traces`);
collector.closeAllConnections();
collector.close();
if (costs.some(({ kind, cpu_ratio }) => kind === 'twentieth' && cpu_ratio > 1 + costMax)) process.exitCode = 1;
