import { loopbackHosts } from '../../core/network/loopback-hosts.ts';
import type { TraceConfig } from '../traces/trace-config.ts';
import { allOf, type Reading, required } from './reading.ts';
import type { Setting } from './setting.ts';
import type { Outcome, SettingSource } from './setting-source.ts';
import * as rows from './trace-settings.ts';

/**
 * Reads the trace settings. Undefined if no collector is configured or tracing is disabled. In that case, no other
 * trace setting is read.
 */
export const traces: Reading<TraceConfig | undefined> = (source) => {
  const endpoint = firstSet(source, rows.otlpTracesEndpoint, rows.otlpEndpoint);
  if (!source.has(endpoint)) return { value: undefined };
  const disabled = source.read(rows.tracesDisabled);
  if ('problems' in disabled || disabled.value) return 'problems' in disabled ? disabled : { value: undefined };
  const headers = firstSet(source, rows.otlpTracesHeaders, rows.otlpHeaders);
  const given = allOf<TraceConfig>({
    url: required(endpoint),
    headers: required(headers),
    protocol: required(firstSet(source, rows.otlpTracesProtocol, rows.otlpProtocol)),
    sampler: required(rows.tracesSampler),
    ratio: required(rows.tracesSamplerRatio),
    perSecondMax: required(rows.tracesPerSecond),
    serviceName: required(rows.serviceName),
    resource: required(rows.resourceAttributes),
  });
  return refusePlainSecrets(given(source), source.has(headers) ? headers : undefined);
};

/** Returns the setting for traces alone if it is set, otherwise the one for all signals. */
function firstSet<T>(source: SettingSource, own: Setting<T>, shared: Setting<T>): Setting<T> {
  return source.has(own) ? own : shared;
}

/**
 * Rejects headers over an unencrypted connection, because they usually contain credentials. Traces themselves contain
 * nothing that has to be encrypted on an internal network.
 */
function refusePlainSecrets(
  outcome: Outcome<TraceConfig>,
  headers: Setting<unknown> | undefined,
): Outcome<TraceConfig> {
  if ('problems' in outcome || headers === undefined) return outcome;
  const { protocol, hostname } = new URL(outcome.value.url);
  if (protocol === 'https:' || loopbackHosts.includes(hostname)) return outcome;
  const { variable, expectation, example } = headers;
  const problem = 'would be sent unencrypted: the address of the collector must be https, or on this machine';
  return { problems: [{ variable, kind: 'invalid', problem, expectation, example }] };
}
