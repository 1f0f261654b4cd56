import { hostname } from 'node:os';
import type { EncodedLine } from './encoded-line.ts';

/** The facility "log audit" and the severities of RFC 5424, section 6.2.1. */
const facility = 13;
const severities = { notice: 5, informational: 6 };

/** The name of this machine, with characters that RFC 5424 does not allow removed. */
const machine =
  hostname()
    .replaceAll(/[^\x21-\x7e]/g, '')
    .slice(0, 255) || '-';

/** Returns a message of RFC 5424 with its length in octets before it, as RFC 5425 sends it. */
export function toSyslogFrame({ timeMs, isNotice, json }: EncodedLine): Buffer {
  const priority = facility * 8 + (isNotice ? severities.notice : severities.informational);
  const time = new Date(timeMs).toISOString();
  const message = Buffer.from(`<${priority}>1 ${time} ${machine} strongroom - audit - ${json}`, 'utf8');
  return Buffer.concat([Buffer.from(`${message.length} `, 'ascii'), message]);
}
