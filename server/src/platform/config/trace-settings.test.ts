import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import type { Environment } from './setting.ts';
import { traces } from './trace-settings.ts';

const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel-collector:4318' };
const read = (environment: Environment) => traces.read(environment);

/** Returns the variables that have problems. */
function problemsOf(environment: Environment): readonly string[] {
  try {
    read(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ variable }) => variable);
  }
}

describe('traces', () => {
  it('are off without a collector, whatever else is set', () => {
    expect(read({})).toBeUndefined();
    expect(read({ OTEL_TRACES_SAMPLER: 'nonsense', OTEL_SERVICE_NAME: 'other' })).toBeUndefined();
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined();
  });

  it('are off where they are disabled', () => {
    expect(read({ ...collector, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
    expect(read({ ...collector, OTEL_SDK_DISABLED: 'false' })).toBeDefined();
  });

  it('need nothing but an address', () => {
    const { headers, ...config } = read(collector) ?? {};
    expect(config).toEqual({
      url: 'http://otel-collector:4318/v1/traces',
      protocol: 'http/json',
      sampler: 'parentbased_always_on',
      ratio: 1,
      perSecondMax: 100,
      serviceName: 'strongroom',
      resource: {},
    });
    expect(headers?.reveal()).toEqual({});
  });

  it('go where the address for traces says, as it is', () => {
    const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.internal/otlp/traces' };
    expect(read({ ...collector, ...own })?.url).toBe('https://collector.internal/otlp/traces');
  });

  it('take the standard settings', () => {
    const config = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.internal/',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-scope = payments',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.05',
      OTEL_SERVICE_NAME: 'vault',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=production,service.namespace=a%20b',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    expect(config).toMatchObject({
      url: 'https://collector.internal/v1/traces',
      sampler: 'parentbased_traceidratio',
      ratio: 0.05,
      serviceName: 'vault',
      resource: { 'deployment.environment.name': 'production', 'service.namespace': 'a b' },
    });
    expect(config?.headers.reveal()).toEqual({ authorization: 'Bearer abc', 'x-scope': 'payments' });
    expect(JSON.stringify(config)).not.toContain('abc');
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'otel-collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://user:secret@collector.internal'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://collector.internal?api_key=secret'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '5'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'no pair'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a=%zz'],
    ['OTEL_SDK_DISABLED', 'yes'],
    ['STRONGROOM_TRACES_PER_SECOND', '0'],
  ])('refuse %s=%s', (variable, value) => {
    expect(problemsOf({ ...collector, [variable]: value })).toEqual([variable]);
  });

  it.each(['authorization=a%0d%0ab', 'content-length=1', 'bad name=1', 'authorization'])(
    'refuse the header %s',
    (text) => {
      const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector', OTEL_EXPORTER_OTLP_HEADERS: text };
      expect(problemsOf(environment)).toEqual(['OTEL_EXPORTER_OTLP_HEADERS']);
    },
  );

  it('do not send headers unencrypted over a network', () => {
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc' };
    expect(problemsOf({ ...collector, ...headers })).toEqual(['OTEL_EXPORTER_OTLP_HEADERS']);
    expect(problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', ...headers })).toEqual([]);
  });
});
