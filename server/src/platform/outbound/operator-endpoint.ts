import { request } from 'node:https';

const timeoutMs = 5_000;

/**
 * Posts text to an address that the operator configured, and resolves when it was accepted (2xx). The address is trusted
 * as the configuration is; nothing that a caller sends ever decides where this goes.
 */
export function postToOperatorEndpoint(url: string, body: string, contentType: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        method: 'POST',
        agent: false,
        signal: AbortSignal.timeout(timeoutMs),
        headers: { 'content-type': contentType, 'content-length': Buffer.byteLength(body) },
      },
      (answer) => {
        const status = answer.statusCode ?? 0;
        answer.resume();
        if (status >= 200 && status < 300) resolve();
        else reject(new Error(`The endpoint answered ${status}.`));
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}
