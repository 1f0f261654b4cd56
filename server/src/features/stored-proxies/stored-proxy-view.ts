import type { JsonObject } from '../../core/json/json-value.ts';
import { toChangeFields } from '../../http/parameters/timestamp.ts';
import type { StoredProxy, WholeProxy } from './stored-proxy.ts';

/** Returns a proxy in the form of a request, to which a merge patch is applied. */
export function toProxyBody(proxy: WholeProxy): JsonObject {
  return {
    name: proxy.name,
    destination_url: proxy.destinationUrl,
    require_auth: proxy.requireAuth,
    application: proxy.applicationId === null ? null : { id: proxy.applicationId },
    request_transforms: proxy.requestTransforms,
    response_transforms: proxy.responseTransforms,
    timeout: proxy.timeoutSeconds,
    disable_detokenization: proxy.disableDetokenization,
    allowed_sources: proxy.allowedSources,
    caller_check: proxy.callerCheck === null ? null : { ...proxy.callerCheck },
  };
}

/** A proxy as one caller may see it. The key is undefined if the caller may not see that. */
export interface VisibleProxy {
  readonly proxy: StoredProxy;
  readonly key: string | undefined;
  readonly configurationNames: readonly string[];
}

export function toProxyView({ proxy, key, configurationNames }: VisibleProxy) {
  return {
    id: proxy.id,
    ...(key === undefined ? {} : { key }),
    tenant_id: proxy.tenantId,
    name: proxy.name,
    destination_url: proxy.destinationUrl,
    require_auth: proxy.requireAuth,
    ...(proxy.applicationId === null ? {} : { application_id: proxy.applicationId }),
    configuration_names: [...configurationNames],
    request_transforms: proxy.requestTransforms,
    response_transforms: proxy.responseTransforms,
    ...(proxy.timeoutSeconds === null ? {} : { timeout: proxy.timeoutSeconds }),
    disable_detokenization: proxy.disableDetokenization,
    ...(proxy.allowedSources.length === 0 ? {} : { allowed_sources: [...proxy.allowedSources] }),
    ...(proxy.callerCheck === null ? {} : { caller_check: proxy.callerCheck }),
    ...toChangeFields(proxy),
  };
}
