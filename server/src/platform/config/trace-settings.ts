import { Sensitive } from '../../core/identity/sensitive.ts';
import { samplerNames, type TraceConfig } from '../traces/trace-config.ts';
import { chosen, group, setting, settingsOf, settingWithDefault } from './reading.ts';
import type { Reading, Setting } from './setting.ts';
import {
  isProtected,
  listOf,
  oneOf,
  parseBoolean,
  parsePercentEncoded,
  textLike,
  urlWhere,
  wholeNumber,
} from './setting-parsers.ts';

type Pairs = Readonly<Record<string, string>>;
const pairsMax = 32;
const plainText = /^[\x20-\x7e]{1,1024}$/;
/** Headers that the HTTP client sets itself. */
const ownHeaders = /^(?:content-type|content-length|transfer-encoding|host|connection)$/i;

const noPairs: Pairs = {};
const noHeaders = new Sensitive(noPairs);
const headers = {
  expectation: 'headers for the collector as name=value pairs, values percent-encoded; keep them in a file',
  example: 'authorization=Bearer%20…',
};
const protocol = { expectation: 'http/json, the only protocol that is spoken' };

/**
 * The settings for all signals. The names of these settings are defined by OpenTelemetry, so operators and their
 * platforms already know them.
 */
const shared = {
  url: setting('OTEL_EXPORTER_OTLP_ENDPOINT', parseCollectorUrl, {
    expectation: 'the address of an OpenTelemetry collector that takes OTLP over HTTP; /v1/traces is added',
    example: 'http://127.0.0.1:4318',
  }),
  headers: settingWithDefault('OTEL_EXPORTER_OTLP_HEADERS', parseHeaders, noHeaders, headers),
  protocol: settingWithDefault('OTEL_EXPORTER_OTLP_PROTOCOL', oneOf(['http/json']), 'http/json', protocol),
};

/** The settings for traces alone. They take precedence. */
const own = {
  url: setting('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', urlWhere(isCollectorUrl), {
    expectation: 'the address that traces are posted to, with its path',
    example: 'https://collector.internal:4318/v1/traces',
  }),
  headers: settingWithDefault('OTEL_EXPORTER_OTLP_TRACES_HEADERS', parseHeaders, noHeaders, {
    ...headers,
    purpose: 'for traces alone',
    otherwise: 'that of `OTEL_EXPORTER_OTLP_HEADERS`',
  }),
  protocol: settingWithDefault('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', oneOf(['http/json']), 'http/json', {
    ...protocol,
    purpose: 'for traces alone',
    otherwise: 'that of `OTEL_EXPORTER_OTLP_PROTOCOL`',
  }),
};

const given = group<TraceConfig>({
  url: firstSet(own.url, shared.url),
  headers: firstSet(own.headers, shared.headers),
  protocol: firstSet(own.protocol, shared.protocol),
  sampler: settingWithDefault('OTEL_TRACES_SAMPLER', oneOf(samplerNames), 'parentbased_always_on', {
    expectation: `which traces are recorded: ${samplerNames.join(', ')}`,
    example: 'parentbased_traceidratio',
  }),
  ratio: settingWithDefault('OTEL_TRACES_SAMPLER_ARG', parseRatio, 1, {
    expectation: 'the part of all traces that a sampler by ratio takes, from 0 to 1',
    example: '0.05',
  }),
  perSecondMax: settingWithDefault('STRONGROOM_TRACES_PER_SECOND', wholeNumber(1, 100_000), 100, {
    expectation: 'how many traces each process begins in a second at most, from 1 to 100000',
  }),
  serviceName: settingWithDefault('OTEL_SERVICE_NAME', textLike(plainText), 'strongroom', {
    expectation: 'the name of this service in traces',
  }),
  resource: settingWithDefault('OTEL_RESOURCE_ATTRIBUTES', parsePairs, noPairs, {
    expectation: `up to ${pairsMax} name=value pairs that all spans of this process have, values percent-encoded`,
    example: 'deployment.environment.name=production,service.namespace=payments',
  }),
});

const isDisabled = settingWithDefault('OTEL_SDK_DISABLED', parseBoolean, false, {
  expectation: 'true or false: whether nothing is traced even though a collector is configured',
  example: 'true',
});

/**
 * The trace settings. Undefined if no collector is configured or tracing is disabled. In that case, no other trace
 * setting is read.
 */
export const traces: Reading<TraceConfig | undefined> = {
  settings: settingsOf([group(shared), group(own), given, isDisabled]),
  read: (environment) => {
    if (![own.url, shared.url].some((url) => url.isSet(environment)) || isDisabled.read(environment)) return undefined;
    const config = given.read(environment);
    const headers = [own.headers, shared.headers].find((setting) => setting.isSet(environment));
    if (headers === undefined || isProtected(new URL(config.url))) return config;
    // Headers usually contain credentials. Traces contain nothing that has to be encrypted on an internal network.
    throw headers.refusal('would be sent unencrypted: the address of the collector must be https, or on this machine');
  },
};

function firstSet<T>(own: Setting<T>, shared: Setting<T>): Reading<T> {
  return chosen([own, shared], (environment) => (own.isSet(environment) ? own : shared));
}

function isCollectorUrl({ protocol, username, password, search, hash }: URL): boolean {
  // A query could contain a secret, and the path would be appended after the query.
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '');
}

function parseCollectorUrl(text: string): string | undefined {
  const url = urlWhere(isCollectorUrl)(text);
  return url === undefined ? undefined : `${url.replace(/\/$/, '')}/v1/traces`;
}

function parseRatio(text: string): number | undefined {
  return /^(?:0(?:\.\d{1,9})?|\.\d{1,9}|1(?:\.0{1,9})?)$/.test(text) ? Number(text) : undefined;
}

/**
 * Parses the W3C Baggage format that OpenTelemetry uses for these settings: percent-encoded pairs, separated by commas.
 */
function parsePairs(text: string): Pairs | undefined {
  const pairs = listOf((pair) => {
    const [, name = '', value = ''] = /^([\w.:/-]{1,100})\s*=\s*(.*)$/.exec(pair) ?? [];
    const decoded = parsePercentEncoded(value) ?? '';
    return name === '' || !plainText.test(decoded) ? undefined : ([name, decoded] as const);
  })(text);
  return pairs === undefined || pairs.length > pairsMax ? undefined : Object.fromEntries(pairs);
}

function parseHeaders(text: string): Sensitive<Pairs> | undefined {
  const pairs = parsePairs(text);
  const isHeader = (name: string) => /^[\w-]+$/.test(name) && !ownHeaders.test(name);
  return pairs === undefined || !Object.keys(pairs).every(isHeader) ? undefined : new Sensitive(pairs);
}
