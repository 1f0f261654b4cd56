import { DomainError } from '../../core/errors/domain-error.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { mergePatch } from '../../core/merge-patch/merge-patch.ts';
import { compileSchema, findFieldErrors } from '../../http/parameters/validation.ts';
import { isSameHost, type WholeProxy } from './stored-proxy.ts';
import { toWantedProxy, UpdateProxy, type WantedProxy } from './stored-proxy-schemas.ts';
import { toProxyBody } from './stored-proxy-view.ts';

const wholeShape = compileSchema(UpdateProxy);

/** Returns a proxy after a merge patch (RFC 7386). The singular forms of transforms replace all of them. */
export function toPatchedProxy(current: WholeProxy, patch: JsonObject): WantedProxy {
  const { configuration: given, ...rest } = patch;
  const replaced = ['request', 'response'].filter((side) => (patch[`${side}_transform`] ?? null) !== null);
  const emptied = Object.fromEntries(replaced.map((side) => [`${side}_transforms`, []]));
  const body = mergePatch({ ...toProxyBody(current), ...withoutApplication(patch), ...emptied }, rest);
  if (!wholeShape.Check(body)) {
    const fields = findFieldErrors(wholeShape, body, 'body');
    throw new DomainError('validation-failed', 'The request did not pass validation.', { fields });
  }
  const { settings } = toWantedProxy(body);
  return { settings, configuration: toConfiguration(current, settings.destinationUrl, given) };
}

/** `application_id` means the same as `application`, so the one in the patch replaces both. */
function withoutApplication(patch: JsonObject): JsonObject {
  return 'application_id' in patch && !('application' in patch) ? { application: null } : {};
}

/** Merges the secrets. For a new host, only those of the patch remain. */
function toConfiguration(
  current: WholeProxy,
  destinationUrl: string,
  given: JsonObject[string] | undefined,
): Readonly<Record<string, string>> | undefined {
  if (given === undefined) return undefined;
  const isKept = URL.canParse(destinationUrl) && isSameHost(destinationUrl, current.destinationUrl);
  const kept = isKept ? current.secrets.configuration.reveal() : {};
  const merged = isJsonObject(given) ? mergePatch(kept, given) : {};
  const texts = Object.entries(isJsonObject(merged) ? merged : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}
