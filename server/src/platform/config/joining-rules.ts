import { isUuid, parseTenantId } from '../../core/identity/ids.ts';
import { isJsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { parseJson } from '../../core/json/parse-json.ts';
import { type JoiningRole, joiningRoles, type JoiningRule } from '../outbound/openid-config.ts';

const tenantsMax = 1_000;
const domainsMax = 100;
const groupsMax = 100;
const groupLengthMax = 255;
const domainForm = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** Parses who becomes a member of which tenant. Returns undefined if two tenants have the same domain. */
export function parseJoiningRules(text: string): readonly JoiningRule[] | undefined {
  const value = parseWhole(text);
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  const rules = entries.flatMap(([tenantId, rule]) => toRule(tenantId, rule) ?? []);
  const domains = rules.flatMap((rule) => rule.domains);
  const tenants = new Set(rules.map(({ tenantId }) => tenantId));
  const isComplete = rules.length === entries.length && entries.length <= tenantsMax;
  return isComplete && tenants.size === rules.length && new Set(domains).size === domains.length ? rules : undefined;
}

function parseWhole(text: string): JsonValue | undefined {
  try {
    return parseJson(text, { depthMax: 4, valuesMax: tenantsMax * (domainsMax + groupsMax) });
  } catch {
    return undefined;
  }
}

function toRule(tenantId: string, rule: JsonValue): JoiningRule | undefined {
  if (!isUuid(tenantId) || !isJsonObject(rule)) return undefined;
  const { domains, roles, ...others } = rule;
  if (Object.keys(others).length > 0 || !Array.isArray(domains) || !isJsonObject(roles)) return undefined;
  const groups = Object.entries(roles).map(([group, role]) => [group, toRole(role)] as const);
  const known = groups.flatMap(([group, role]) => (role === undefined ? [] : [[group, role] as const]));
  const isComplete = known.length === groups.length && isCount(groups, groupsMax) && isCount(domains, domainsMax);
  const areGroups = known.every(([group]) => group !== '' && group.length <= groupLengthMax);
  if (!isComplete || !areGroups || !domains.every(isDomain)) return undefined;
  return { tenantId: parseTenantId(tenantId), domains, roles: new Map(known) };
}

function isCount({ length }: readonly unknown[], max: number): boolean {
  return length >= 1 && length <= max;
}

function toRole(value: JsonValue): JoiningRole | undefined {
  return joiningRoles.find((role) => role === value);
}

function isDomain(value: JsonValue): value is string {
  return typeof value === 'string' && domainForm.test(value);
}
