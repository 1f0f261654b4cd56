import http from 'node:http';
import { constants, setPriority } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { PacedRequest, PacedStream } from './paced-client.ts';

const { url, localAddress, streams, isElsewhere } = workerData as {
  url: string;
  localAddress: string;
  streams: readonly PacedStream[];
  isElsewhere: boolean;
};
// On Linux, each thread has its own priority.
if (isElsewhere) setPriority(constants.priority.PRIORITY_LOW);
const underWayMax = 100;
const agent = new http.Agent({ keepAlive: true, maxSockets: underWayMax, localAddress });

parentPort?.on('message', (milliseconds: number) => {
  void run(milliseconds).then((outcome) => parentPort?.postMessage(outcome));
});

async function run(milliseconds: number) {
  const latenciesMs: number[] = [];
  const statuses: Record<string, number> = {};
  const note = (status: number) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const underWay = new Set<Promise<void>>();
  const start = (request: PacedRequest) => {
    if (underWay.size >= underWayMax) return note(-1);
    const startedAt = performance.now();
    const sent = send(request).then((status) => {
      latenciesMs.push(performance.now() - startedAt);
      note(status);
      underWay.delete(sent);
    });
    underWay.add(sent);
  };
  await Promise.all(streams.map((stream) => pace(stream, milliseconds, start)));
  await Promise.all(underWay);
  return { latenciesMs, statuses };
}

async function pace(
  { requests, perSecond }: PacedStream,
  milliseconds: number,
  start: (request: PacedRequest) => void,
) {
  const beganAt = performance.now();
  for (let count = 0; ; count += 1) {
    const dueMs = (count * 1_000) / perSecond;
    if (dueMs >= milliseconds) return;
    await setTimeout(Math.max(0, beganAt + dueMs - performance.now()));
    const request = requests[count % requests.length];
    if (request !== undefined) start(request);
  }
}

/** Sends a request, reads the whole response and returns its status, or 0 if there was none. */
function send({ method, path, key, body, contentType = 'application/json' }: PacedRequest): Promise<number> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = { 'bt-api-key': key, ...(text === undefined ? {} : { 'content-type': contentType }) };
  return new Promise((resolve) => {
    const request = http.request(`${url}${path}`, { method, headers, agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', () => resolve(0));
    });
    request.on('error', () => resolve(0));
    request.end(text);
  });
}
