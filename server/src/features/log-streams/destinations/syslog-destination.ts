import { readFile } from 'node:fs/promises';
import type { SyslogStreamConfig } from '../../../platform/config/log-stream-config.ts';
import { sendOverTls } from '../../../platform/outbound/tls-delivery.ts';
import type { EncodedLine } from '../format/encoded-line.ts';
import { toSyslogFrame } from '../format/syslog-frame.ts';
import type { StreamDestination } from './stream-destination.ts';

const timeoutMs = 15_000;

/**
 * Sends lines as syslog over TLS (RFC 5425). The protocol has no acknowledgement, so each batch has a connection of its
 * own, and is accepted when the receiver has read it to its end and closed the connection in turn.
 */
export class SyslogDestination implements StreamDestination {
  readonly #config: SyslogStreamConfig;

  constructor(config: SyslogStreamConfig) {
    this.#config = config;
  }

  async send(lines: readonly EncodedLine[]): Promise<void> {
    const { host, port, authorityFile, certificateFile, keyFile } = this.#config;
    const [ca, cert, key] = await Promise.all([authorityFile, certificateFile, keyFile].map(readIfNamed));
    await sendOverTls({ host, port, ca, cert, key, timeoutMs }, lines.map(toSyslogFrame));
  }

  /** Nothing stays open between two batches. */
  close(): void {}
}

async function readIfNamed(path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : readFile(path, 'utf8');
}
