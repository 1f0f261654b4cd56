import { createServer } from 'node:net';

/** Asks the system for a loopback port that is not in use at the moment. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('The system did not assign a port.'));
        else resolve(address.port);
      });
    });
  });
}
