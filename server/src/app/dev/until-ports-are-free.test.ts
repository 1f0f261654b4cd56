import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { findFreePort } from '../../platform/local-postgres/free-port.ts';
import { listen } from '../serve/listen.ts';
import { untilPortsAreFree } from './until-ports-are-free.ts';

const opened: Server[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await new Promise((done) => server.close(done));
});

async function open(port: number): Promise<number> {
  const server = createServer();
  const addresses = () => [server.address()];
  const toListen = (address: { host: string; port: number }) => {
    server.listen(address);
    return once(server, 'listening');
  };
  const settings = { host: 'HOST', port: 'PORT' };
  await listen({ listen: toListen, addresses }, { host: '127.0.0.1', port, settings });
  opened.push(server);
  return (server.address() as AddressInfo).port;
}

it('a port that another process takes after it was chosen is replaced by another', async () => {
  const taken = await open(0);
  const choices = [taken, await findFreePort()];
  const used = await untilPortsAreFree(() => open(choices.shift() ?? 0));
  expect(used).not.toBe(taken);
  expect(choices).toEqual([]);
});

it('a port that the user asked for is not replaced', async () => {
  const taken = await open(0);
  let attempts = 0;
  const attempt = () => {
    attempts += 1;
    return open(taken);
  };
  await expect(untilPortsAreFree(attempt, taken)).rejects.toThrow(`Port ${taken} is already in use`);
  expect(attempts).toBe(1);
});

it('a port that is always taken is given up in the end', async () => {
  const taken = await open(0);
  await expect(untilPortsAreFree(() => open(taken))).rejects.toThrow(`Port ${taken} is already in use`);
});
