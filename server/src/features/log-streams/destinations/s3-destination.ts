import type { S3StreamConfig } from '../../../platform/config/log-stream-config.ts';
import { S3Store } from '../../../platform/object-storage/s3-store.ts';
import type { EncodedLine } from '../format/encoded-line.ts';
import type { StreamDestination } from './stream-destination.ts';

/**
 * Stores each batch as an object. Its last line is a checkpoint, which is signed. A batch that is repeated after a crash
 * begins where the first one began, so an object with the same name can only be replaced by one with the same lines.
 */
export class S3Destination implements StreamDestination {
  readonly #store: S3Store;

  constructor({ s3 }: S3StreamConfig) {
    this.#store = new S3Store(s3);
  }

  async send(lines: readonly EncodedLine[]): Promise<void> {
    const last = lines.at(-1);
    if (last === undefined) return;
    const content = lines.map(({ json }) => `${json}\n`).join('');
    await this.#store.put(keyOf(last), Buffer.from(content));
  }

  close(): void {
    this.#store.close();
  }
}

/** Returns a name that sorts by time, such as `2026/11/19/093001-<tenant>-<number>.ndjson`. */
function keyOf({ id, timeMs }: EncodedLine): string {
  const [day = '', time = ''] = new Date(timeMs).toISOString().split('T');
  const [tenant = '', , number = ''] = id.split('/');
  return `${day.replaceAll('-', '/')}/${time.slice(0, 8).replaceAll(':', '')}-${tenant}-${number}.ndjson`;
}
