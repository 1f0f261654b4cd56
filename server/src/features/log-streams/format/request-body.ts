import type { StreamEncoding } from '../../../platform/config/log-stream-config.ts';
import type { EncodedLine } from './encoded-line.ts';

/** Requests stay below the megabyte that many receivers accept by default. */
const bodyBytesMax = 512 * 1024;

const contentTypes: Readonly<Record<StreamEncoding, string>> = {
  ndjson: 'application/x-ndjson',
  'splunk-hec': 'application/json',
  'elastic-bulk': 'application/x-ndjson',
};

export function contentTypeOf(encoding: StreamEncoding): string {
  return contentTypes[encoding];
}

/** Returns the bodies of the requests that carry these lines, in order. */
export function toRequestBodies(lines: readonly EncodedLine[], encoding: StreamEncoding): string[] {
  const bodies: string[] = [];
  let body: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    const part = toPart(line, encoding);
    const partBytes = Buffer.byteLength(part);
    if (bytes > 0 && bytes + partBytes > bodyBytesMax) {
      bodies.push(body.join(''));
      [body, bytes] = [[], 0];
    }
    body.push(part);
    bytes += partBytes;
  }
  return body.length === 0 ? bodies : [...bodies, body.join('')];
}

function toPart({ id, timeMs, json }: EncodedLine, encoding: StreamEncoding): string {
  if (encoding === 'elastic-bulk') return `{"create":{"_id":${JSON.stringify(id)}}}\n${json}\n`;
  if (encoding === 'splunk-hec') {
    return `{"time":${timeMs / 1_000},"source":"strongroom","sourcetype":"strongroom:audit","event":${json}}\n`;
  }
  return `${json}\n`;
}
