import type { FastifyInstance } from 'fastify';
import { addProxyRoutes, CallSlots, ProxyCallStore, ProxyService } from '../../features/proxy/index.ts';
import { StoredProxyDirectory } from '../../features/stored-proxies/index.ts';
import type { TenantSettingsDirectory } from '../../features/tenants/index.ts';
import type { ReferencedTokens } from '../../features/tokens/index.ts';
import { describeOutbound } from '../../platform/config/outbound-settings.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { OutboundConfig } from '../../platform/outbound/outbound-config.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { createProxyMetrics } from '../../platform/telemetry/proxy-metrics.ts';
import type { TokenParts } from './token-wiring.ts';
import type { VaultCore } from './vault-core.ts';

/** Builds the proxy and adds its routes. Exceptions configured by the operator are logged once, at startup. */
export function addProxy(
  edge: FastifyInstance,
  parts: {
    readonly core: VaultCore;
    readonly outbound: Outbound;
    readonly config: OutboundConfig;
    readonly settings: TenantSettingsDirectory;
    readonly tokens: ReferencedTokens;
    readonly transforms: TokenParts['transforms'];
    readonly metrics: Metrics;
    readonly logger: Logger;
  },
): ProxyService {
  const { core, outbound, config, settings, tokens, transforms, metrics, logger } = parts;
  for (const { setting, value } of describeOutbound(config)) logger.warn('proxy setting', { setting, value });
  const slots = new CallSlots({ ...config, ...config.limits });
  metrics.addGauge('strongroom_proxy_calls_open', 'Proxy calls in progress.', () => slots.count);
  const proxy = new ProxyService({
    outbound,
    config,
    tokens,
    stored: new StoredProxyDirectory(core),
    transforms,
    settings,
    calls: new ProxyCallStore(core.database),
    slots,
    audit: core.audit,
    metrics: createProxyMetrics(metrics),
    logger,
  });
  addProxyRoutes(edge, proxy);
  return proxy;
}
