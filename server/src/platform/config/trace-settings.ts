import { Sensitive } from '../../core/identity/sensitive.ts';
import { type SamplerName, samplerNames } from '../traces/trace-config.ts';
import type { Setting } from './setting.ts';
import { listOf, parseBoolean, wholeNumber } from './setting-parsers.ts';

/**
 * The address of the collector. The names of these settings are defined by OpenTelemetry, so operators and their
 * platforms already know them.
 */
export const otlpEndpoint: Setting<string> = {
  variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  expectation: 'the address of an OpenTelemetry collector that takes OTLP over HTTP; /v1/traces is added',
  example: 'http://127.0.0.1:4318',
  parse: (text) => (isCollectorUrl(text) ? `${text.replace(/\/$/, '')}/v1/traces` : undefined),
};

export const otlpTracesEndpoint: Setting<string> = {
  variable: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  expectation: 'the address that traces are posted to, with its path',
  example: 'https://collector.internal:4318/v1/traces',
  parse: (text) => (isCollectorUrl(text) ? text : undefined),
};

type Headers = Sensitive<Readonly<Record<string, string>>>;
const noHeaders: Headers = new Sensitive({});

export const otlpHeaders: Setting<Headers> = {
  variable: 'OTEL_EXPORTER_OTLP_HEADERS',
  expectation: 'headers for the collector as name=value pairs, values percent-encoded; keep them in a file',
  example: 'authorization=Bearer%20…',
  parse: parseHeaders,
  fallback: noHeaders,
};

export const otlpTracesHeaders: Setting<Headers> = {
  ...otlpHeaders,
  variable: 'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  purpose: 'for traces alone',
  otherwise: 'that of `OTEL_EXPORTER_OTLP_HEADERS`',
};

export const otlpProtocol: Setting<'http/json'> = {
  variable: 'OTEL_EXPORTER_OTLP_PROTOCOL',
  expectation: 'http/json, the only protocol that is spoken',
  example: 'http/json',
  parse: (text) => (text === 'http/json' ? text : undefined),
  fallback: 'http/json',
};

export const otlpTracesProtocol: Setting<'http/json'> = {
  ...otlpProtocol,
  variable: 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  purpose: 'for traces alone',
  otherwise: 'that of `OTEL_EXPORTER_OTLP_PROTOCOL`',
};

export const tracesSampler: Setting<SamplerName> = {
  variable: 'OTEL_TRACES_SAMPLER',
  expectation: `which traces are recorded: ${samplerNames.join(', ')}`,
  example: 'parentbased_traceidratio',
  parse: (text) => samplerNames.find((name) => name === text),
  fallback: 'parentbased_always_on',
};

export const tracesSamplerRatio: Setting<number> = {
  variable: 'OTEL_TRACES_SAMPLER_ARG',
  expectation: 'the part of all traces that a sampler by ratio takes, from 0 to 1',
  example: '0.05',
  parse: (text) => (/^(?:0(?:\.\d{1,9})?|\.\d{1,9}|1(?:\.0{1,9})?)$/.test(text) ? Number(text) : undefined),
  fallback: 1,
};

export const tracesPerSecond: Setting<number> = {
  variable: 'STRONGROOM_TRACES_PER_SECOND',
  expectation: 'how many traces each process begins in a second at most, from 1 to 100000',
  example: '100',
  parse: wholeNumber(1, 100_000),
  fallback: 100,
};

export const serviceName: Setting<string> = {
  variable: 'OTEL_SERVICE_NAME',
  expectation: 'the name of this service in traces',
  example: 'strongroom',
  parse: (text) => (isPlain(text) ? text : undefined),
  fallback: 'strongroom',
};

export const resourceAttributes: Setting<Readonly<Record<string, string>>> = {
  variable: 'OTEL_RESOURCE_ATTRIBUTES',
  expectation: 'up to 32 name=value pairs that all spans of this process have, values percent-encoded',
  example: 'deployment.environment.name=production,service.namespace=payments',
  parse: parsePairs,
  fallback: {},
};

export const tracesDisabled: Setting<boolean> = {
  variable: 'OTEL_SDK_DISABLED',
  expectation: 'true or false: whether nothing is traced even though a collector is configured',
  example: 'true',
  parse: parseBoolean,
  fallback: false,
};

const pairsMax = 32;

function isCollectorUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') return false;
  // A query could contain a secret, and the path would be appended after the query.
  if (url.search !== '' || url.hash !== '') return false;
  return url.protocol === 'https:' || url.protocol === 'http:';
}

/**
 * Parses the W3C Baggage format that OpenTelemetry uses for these settings: percent-encoded pairs, separated by commas.
 */
function parsePairs(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = listOf((pair) => {
    const [, name = '', value = ''] = /^([\w.:/-]{1,100})\s*=\s*(.*)$/.exec(pair) ?? [];
    const decoded = decode(value);
    return name === '' || decoded === undefined || !isPlain(decoded) ? undefined : ([name, decoded] as const);
  })(text);
  return pairs === undefined || pairs.length > pairsMax ? undefined : Object.fromEntries(pairs);
}

function parseHeaders(text: string): Headers | undefined {
  const pairs = parsePairs(text);
  const isHeader = (name: string) => /^[\w-]+$/.test(name) && !ownHeaders.has(name.toLowerCase());
  return pairs === undefined || !Object.keys(pairs).every(isHeader) ? undefined : new Sensitive(pairs);
}

/** Headers that the HTTP client sets itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'transfer-encoding',
  'host',
  'connection',
]);

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]{1,1024}$/.test(text);
}
