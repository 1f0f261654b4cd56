import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Clients that write a body before they read the response. Each uses a different API to do so. */
export type ClientKind = 'fetch' | 'fetch-stream' | 'http-end' | 'http-pipe' | 'http-continue';

const clients: Readonly<Record<ClientKind, string>> = {
  fetch: `async () => { const r = await fetch(url, { method: 'POST', headers, body: Buffer.alloc(size, 32) }); await r.text(); return r.status; }`,
  'fetch-stream': `async () => { const r = await fetch(url, { method: 'POST', headers, body: ReadableStream.from(pieces()), duplex: 'half' }); await r.text(); return r.status; }`,
  'http-end': `() => call({}, (request) => request.end(Buffer.alloc(size, 32)))`,
  'http-pipe': `() => call({}, (request) => Readable.from(pieces()).pipe(request))`,
  'http-continue': `() => call({ expect: '100-continue', 'content-length': size }, (request) => request.once('continue', () => request.end(Buffer.alloc(size, 32))).flushHeaders())`,
};

/**
 * Sends large bodies one at a time from another process, and returns the result of each: a status or an error code.
 * Within one process, client and server take turns, so a race between writing and closing would never happen.
 */
export async function sendFromElsewhere(
  kind: ClientKind,
  request: { readonly url: string; readonly key: string; readonly sizeBytes: number; readonly times: number },
): Promise<string[]> {
  const script = `
    import http from 'node:http';
    import { Readable } from 'node:stream';
    const { url, key, sizeBytes: size, times } = ${JSON.stringify(request)};
    const headers = { 'bt-api-key': key, 'content-type': 'application/json' };
    const agent = new http.Agent({ keepAlive: true });
    function* pieces() { for (let left = size; left > 0; left -= 65536) yield Buffer.alloc(Math.min(left, 65536), 32); }
    const call = (more, write) => new Promise((resolve, reject) => {
      let status;
      const request = http.request(url, { method: 'POST', agent, headers: { ...headers, ...more } });
      request.on('response', (response) => { status = response.statusCode; response.resume().on('end', () => setImmediate(resolve, status)); });
      request.on('error', reject);
      write(request);
    });
    const send = ${clients[kind]};
    const outcomes = [];
    for (let count = 0; count < times; count += 1) {
      outcomes.push(String(await send().catch((error) => error.cause?.code ?? error.code ?? error.message)));
    }
    console.log(JSON.stringify(outcomes));
    process.exit();`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(stdout) as string[];
}
