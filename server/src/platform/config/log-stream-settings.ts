import { isUuid } from '../../core/identity/ids.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { hasMembers } from '../../core/objects/members-of.ts';
import { setting } from './reading.ts';
import type { S3Options } from '../object-storage/s3-store.ts';
import type { S3StreamConfig, StreamConfig } from './log-stream-config.ts';
import type { Reading } from './setting.ts';
import { bucketPattern, prefixPattern } from './audit-archive-settings.ts';
import { isServiceUrl, oneOf, parseHeaderSecret, parseText, urlWhere } from './setting-parsers.ts';

const streamsMax = 16;
const tenantsMax = 1_000;
const headersMax = 16;

/** Parses a member of a stream. It returns undefined for a value that is not valid. */
type Parse = (value: unknown) => unknown;

/** A member that a stream must have, or one with a default. */
interface Member {
  readonly as: string;
  readonly parse: Parse;
  readonly fallback?: { readonly value: unknown };
}

const required = (as: string, parse: Parse): Member => ({ as, parse });
const withDefault = (as: string, parse: Parse, value: unknown): Member => ({ as, parse, fallback: { value } });

const text =
  (parse: (value: string) => unknown): Parse =>
  (value) =>
    typeof value === 'string' ? parse(value) : undefined;
const number =
  (min: number, max: number): Parse =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : undefined;
const matching = (pattern: RegExp) => text((value) => (pattern.test(value) ? value : undefined));
const path = text((value) => (value.startsWith('/') ? parseText(value) : undefined));

const common = {
  name: required('name', matching(/^[a-z][a-z0-9-]{0,31}$/)),
  format: withDefault('format', text(oneOf(['record', 'ocsf'])), 'record'),
  start: withDefault('start', text(oneOf(['oldest', 'now'])), 'oldest'),
  tenants: withDefault('tenants', parseTenants, undefined),
};
const authority = { authority_file: withDefault('authorityFile', path, undefined) };

const membersByKind: Readonly<Record<StreamConfig['kind'], Readonly<Record<string, Member>>>> = {
  https: {
    ...common,
    ...authority,
    url: required('url', text(urlWhere(isReceiverUrl))),
    encoding: withDefault('encoding', text(oneOf(['ndjson', 'splunk-hec', 'elastic-bulk'])), 'ndjson'),
    headers: withDefault('headers', parseHeaders, new Sensitive({})),
  },
  syslog: {
    ...common,
    ...authority,
    host: required('host', matching(/^[A-Za-z0-9.:-]{1,253}$/)),
    port: withDefault('port', number(1, 65_535), 6_514),
    certificate_file: withDefault('certificateFile', path, undefined),
    key_file: withDefault('keyFile', path, undefined),
  },
  file: {
    ...common,
    path: required('path', path),
    rotate_bytes: withDefault('rotateBytes', number(1_000_000, 10_000_000_000), 100_000_000),
    files_max: withDefault('filesMax', number(1, 10_000), 100),
  },
  s3: {
    ...common,
    bucket: required('bucket', matching(bucketPattern)),
    prefix: withDefault('prefix', matching(prefixPattern), ''),
    region: withDefault('region', matching(/^[a-z0-9-]{1,64}$/), 'us-east-1'),
    endpoint: withDefault('endpoint', text(urlWhere(isServiceUrl)), undefined),
    access_key_id: withDefault('accessKeyId', matching(/^[\w+=.@-]{1,128}$/), undefined),
    secret_access_key: withDefault('secretAccessKey', text(parseHeaderSecret), undefined),
    interval_seconds: withDefault('intervalSeconds', number(1, 3_600), 60),
  },
};

/** Members that only make sense together. */
const togethers = [
  ['certificate_file', 'key_file'],
  ['access_key_id', 'secret_access_key'],
] as const;

const list = setting('STRONGROOM_LOG_STREAMS', parseText, {
  expectation:
    'a JSON array of up to 16 streams of the audit log, each with a name and a kind: https, syslog, file or s3',
  example: '[{"name": "siem", "kind": "https", "url": "https://siem.example.com/strongroom"}]',
  secret: 'credential',
  otherwise: 'the log is not streamed',
});

/** The streams of the audit log. A problem is described by the name of the stream and of its member. */
export const logStreams: Reading<readonly StreamConfig[]> = {
  settings: [list],
  read: (environment) => {
    if (!list.isSet(environment)) return [];
    const streams = parseStreams(list.read(environment));
    if (typeof streams === 'string') throw list.refusal(streams);
    return streams;
  },
};

/** Returns the streams, or what is wrong with them, in words that repeat no value. */
function parseStreams(json: string): readonly StreamConfig[] | string {
  const values = parseJson(json);
  if (!Array.isArray(values) || values.length > streamsMax) return `is not a JSON array of up to ${streamsMax} streams`;
  const streams: StreamConfig[] = [];
  for (const [index, value] of values.entries()) {
    const stream = parseStream(value);
    if (typeof stream === 'string') return `has a problem in stream ${index + 1}: ${stream}`;
    if (streams.some(({ name }) => name === stream.name))
      return `has a problem in stream ${index + 1}: its name is taken`;
    streams.push(stream);
  }
  return streams;
}

function parseStream(value: unknown): StreamConfig | string {
  if (!hasMembers(value)) return 'it is not an object';
  const { kind, ...rest } = value;
  if (!isKind(kind)) return '"kind" must be https, syslog, file or s3';
  const members = membersByKind[kind];
  if (Object.keys(rest).some((name) => !Object.hasOwn(members, name))) {
    return `it has a member other than kind, ${Object.keys(members).join(', ')}`;
  }
  const parsed: Record<string, unknown> = { kind };
  for (const [name, { as, parse, fallback }] of Object.entries(members)) {
    const found = rest[name] === undefined ? fallback?.value : parse(rest[name]);
    if (found === undefined && (rest[name] !== undefined || fallback === undefined)) {
      return rest[name] === undefined ? `"${name}" is missing` : `"${name}" is not valid`;
    }
    parsed[as] = found;
  }
  const half = findHalf(rest);
  if (half !== undefined) return half;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member of the kind was parsed above.
  return (kind === 's3' ? toS3Stream(parsed as unknown as ParsedS3) : parsed) as unknown as StreamConfig;
}

function isKind(kind: unknown): kind is StreamConfig['kind'] {
  return typeof kind === 'string' && Object.hasOwn(membersByKind, kind);
}

/** Returns what is wrong if one of two members is given that only make sense together. */
function findHalf(given: Readonly<Record<string, unknown>>): string | undefined {
  const half = togethers.find(([one, other]) => (given[one] === undefined) !== (given[other] === undefined));
  return half === undefined ? undefined : `"${half[0]}" and "${half[1]}" belong together`;
}

type ParsedS3 = Omit<S3StreamConfig, 's3'> &
  Omit<S3Options, 'accessKey'> & {
    readonly accessKeyId: string | undefined;
    readonly secretAccessKey: Sensitive<string> | undefined;
  };

function toS3Stream(parsed: ParsedS3): S3StreamConfig {
  const { bucket, prefix, region, endpoint, accessKeyId: id, secretAccessKey: secret, ...stream } = parsed;
  const accessKey = id === undefined || secret === undefined ? undefined : { id, secret };
  return { ...stream, s3: { bucket, prefix, region, endpoint, accessKey } };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function parseTenants(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > tenantsMax) return undefined;
  const ids = value.filter((id) => typeof id === 'string' && isUuid(id));
  return ids.length === value.length ? [...new Set(ids)] : undefined;
}

/** Credentials belong into headers: addresses are shown in logs of proxies. */
function isReceiverUrl({ protocol, username, password, hash }: URL): boolean {
  return protocol === 'https:' && [username, password, hash].every((part) => part === '');
}

function parseHeaders(value: unknown): Sensitive<Readonly<Record<string, string>>> | undefined {
  if (!hasMembers(value) || Array.isArray(value)) return undefined;
  const headers = Object.entries(value);
  const areValid = headers.every(
    ([name, of]) =>
      /^[\w-]{1,64}$/.test(name) &&
      !/^(?:content-type|content-length|transfer-encoding|host|connection)$/i.test(name) &&
      typeof of === 'string' &&
      /^[\x20-\x7e]{1,8192}$/.test(of),
  );
  if (!areValid || headers.length > headersMax) return undefined;
  return new Sensitive(Object.fromEntries(headers.map(([name, of]) => [name.toLowerCase(), String(of)])));
}
