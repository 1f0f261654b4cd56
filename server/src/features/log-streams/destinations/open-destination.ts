import type { StreamConfig } from '../../../platform/config/log-stream-config.ts';
import { FileDestination } from './file-destination.ts';
import { HttpsDestination } from './https-destination.ts';
import { S3Destination } from './s3-destination.ts';
import type { StreamDestination } from './stream-destination.ts';
import { SyslogDestination } from './syslog-destination.ts';

/** Returns the receiver of a stream. Nothing is opened before the first line. */
export function openDestination(config: StreamConfig): StreamDestination {
  if (config.kind === 'https') return new HttpsDestination(config);
  if (config.kind === 's3') return new S3Destination(config);
  return config.kind === 'syslog' ? new SyslogDestination(config) : new FileDestination(config);
}
