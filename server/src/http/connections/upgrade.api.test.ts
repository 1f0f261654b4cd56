import { type AddressInfo, connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { createQuietEdge } from '../../../test/harness/quiet-edge.ts';

let app: FastifyInstance;
const seen: string[] = [];
const slow = Promise.withResolvers<string>();
beforeAll(async () => {
  app = await createQuietEdge();
  const options = { config: { permission: 'public' }, schema: { hide: true } } as const;
  app.get('/slow', options, () => slow.promise);
  app.get('/next', options, () => seen.push('handled') && 'next');
  app.server.prependListener('request', ({ url = '' }) => seen.push(url));
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

it('does nothing for a request that arrives while one with an upgrade is under way', async () => {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let text = '';
  let isClosed = false;
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.on('close', () => {
    isClosed = true;
  });
  socket.write('GET /slow HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
  await untilTrue(() => seen.includes('/slow'), { waitingFor: 'the first request' });
  socket.write('GET /next HTTP/1.1\r\nhost: x\r\n\r\n');
  await untilTrue(() => seen.includes('/next'), { waitingFor: 'the second request' });
  slow.resolve('slow');
  await untilTrue(() => isClosed, { waitingFor: 'a closed connection' });
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  expect(seen).toEqual(['/slow', '/next']);
});
