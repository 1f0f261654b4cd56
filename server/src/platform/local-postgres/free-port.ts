import { createServer } from 'node:net';

/**
 * Ports below those that systems assign to outgoing connections. An assigned port could be taken by any connection
 * before a server listens on it, which can be seconds later.
 */
const [portMin, portMax] = [20_000, 32_767];
const triesMax = 50;

/** Returns a random loopback port that is not in use at the moment. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = portMin + Math.floor(Math.random() * (portMax - portMin + 1));
    if (await isFree(port)) return port;
  }
  throw new Error(`None of the ${triesMax} ports tried is free.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => resolve(true));
    });
  });
}
