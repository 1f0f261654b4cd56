import type { Sensitive } from '../../core/identity/sensitive.ts';
import type { S3Options } from '../object-storage/s3-store.ts';

/** How the lines of a stream are written: as the vault's own records, or as events of the Open Cybersecurity Schema. */
export type StreamFormat = 'record' | 'ocsf';
/** How the lines of a request are put together. */
export type StreamEncoding = 'ndjson' | 'splunk-hec' | 'elastic-bulk';

interface CommonStreamConfig {
  readonly name: string;
  readonly format: StreamFormat;
  /** Whether the stream begins with the oldest record that is kept, or with the records after it was configured. */
  readonly start: 'oldest' | 'now';
  /** The ids of the tenants whose logs are sent; undefined for all. */
  readonly tenants: readonly string[] | undefined;
}

export interface HttpsStreamConfig extends CommonStreamConfig {
  readonly kind: 'https';
  readonly url: string;
  readonly encoding: StreamEncoding;
  readonly headers: Sensitive<Readonly<Record<string, string>>>;
  /** The path of a PEM file. If it is set, no other authority is trusted. */
  readonly authorityFile: string | undefined;
}

export interface SyslogStreamConfig extends CommonStreamConfig {
  readonly kind: 'syslog';
  readonly host: string;
  readonly port: number;
  readonly authorityFile: string | undefined;
  readonly certificateFile: string | undefined;
  readonly keyFile: string | undefined;
}

export interface FileStreamConfig extends CommonStreamConfig {
  readonly kind: 'file';
  readonly path: string;
  /** The size at which the file is renamed and a new one begun. */
  readonly rotateBytes: number;
  /** How many renamed files are kept. */
  readonly filesMax: number;
}

export interface S3StreamConfig extends CommonStreamConfig {
  readonly kind: 's3';
  readonly s3: S3Options;
  /** How long lines are collected before they are stored as an object. */
  readonly intervalSeconds: number;
}

/** A copy of the sealed log that is sent to a system of the operator. */
export type StreamConfig = HttpsStreamConfig | SyslogStreamConfig | FileStreamConfig | S3StreamConfig;
