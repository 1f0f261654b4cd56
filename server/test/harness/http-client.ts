import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

export interface SentRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Idle connections do not keep the process alive, and end with their server. */
const agent = new Agent({ keepAlive: true });

/**
 * Sends a request and reads the response. Follows no redirect. `fetch` takes 0.4 ms more CPU time for the same, and
 * tests send hundreds of thousands of requests.
 */
export function send(url: string, { method, headers, body }: SentRequest): Promise<ReceivedResponse> {
  // Without a length, Node.js would send the body of a DELETE unframed.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, agent, headers: { ...length, ...headers } });
    outgoing.on('error', reject);
    outgoing.once('response', (response) => {
      const received = new Headers();
      const raw = response.rawHeaders;
      for (let at = 0; at + 1 < raw.length; at += 2) received.append(raw[at] ?? '', raw[at + 1] ?? '');
      buffer(response).then((bytes) => {
        const decoded = received.get('content-encoding') === 'gzip' ? gunzipSync(bytes) : bytes;
        resolve({ status: response.statusCode ?? 0, headers: received, text: decoded.toString() });
      }, reject);
    });
    outgoing.end(body);
  });
}
