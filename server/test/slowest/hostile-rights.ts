import { permissionsOf } from '../../src/core/access/permission.ts';
import type { SeededRandom } from '../../src/core/random/seeded-random.ts';
import { conditionsMax, rulesMax } from '../../src/http/parameters/access-rule-schemas.ts';
import { post, times } from '../harness/heavy-requests.ts';
import type { LimitedRule } from '../harness/limited-key.ts';
import type { MeasuredRequest } from '../harness/measured-vault.ts';

const transforms = ['mask', 'redact', 'reveal'] as const;
/** A rule needs the transform reveal to grant `token:use`. */
const permissions = permissionsOf('private').filter((permission) => permission !== 'token:use');
const conditionsPerRule = 20;
/** This container sorts after all other containers of a token. */
export const lastContainer = '/z/';
/** A placeholder for the nonce of a session that has not been authorized yet. */
export const nonceMark = '@nonce@';

const transformAt = (index: number) => transforms[index % transforms.length];

/** Returns as many rules as an application may have. Half of them are on paths of maximum length. */
export function listContainerRules(count: number = rulesMax): LimitedRule[] {
  return times(count, (index) => ({
    priority: index,
    container: index % 2 === 0 ? `/c${index}/` : `/c${index}/${'d'.repeat(390 - String(index).length)}/`,
    transform: transformAt(index),
    permissions,
  }));
}

/** Returns as many conditions as a session may have, in rules with the maximum number of conditions or with few. */
export function listConditionalRules(perRule: number = conditionsPerRule): LimitedRule[] {
  return times(conditionsMax / perRule, (rule) => ({
    priority: rule,
    conditions: times(perRule, (index) => toCondition({ rule, index, perRule })),
    transform: transformAt(rule),
    permissions,
  }));
}

/**
 * Returns a condition. In every second rule, only the last condition is not met, which is only known after the token's
 * last container has been checked.
 */
function toCondition({ rule, index, perRule }: { rule: number; index: number; perRule: number }): object {
  const kinds = [
    { attribute: 'container', operator: 'starts_with', value: lastContainer },
    { attribute: 'container', operator: 'equals', value: lastContainer },
    { attribute: 'id', operator: 'starts_with', value: 'tok'.slice(0, 1 + (index % 3)) },
  ];
  const isUnmet = rule % 2 === 1 && index === perRule - 1;
  return isUnmet ? { attribute: 'container', operator: 'equals', value: `/c${rule}` } : (kinds[index % 3] ?? {});
}

/**
 * Returns rules that redact nearly everything, with a last rule that reveals everything else. Every rule has to be
 * evaluated.
 */
export function listStackedRules(): LimitedRule[] {
  const redacting = times(rulesMax - 1, (index) => toContainerRule(index, `/c${index}/`, 'redact'));
  return [...redacting, toContainerRule(rulesMax, '/', 'reveal')];
}

/**
 * Returns rules that such an application may grant, which requires comparing each with all of its own. They reveal
 * nothing that the application redacts.
 */
export function listEclipsedRules(): LimitedRule[] {
  const conditional = times(50, (rule) => ({
    priority: rule,
    conditions: times(6, (index) => ({
      attribute: 'container',
      operator: 'starts_with',
      value: index < 5 ? '/c' : `/x${rule}/`,
    })),
    transform: 'redact',
    permissions,
  }));
  const revealing = times(49, (index) => toContainerRule(100 + index, `/z${index}/`, 'reveal'));
  return [...conditional, toContainerRule(50, '/', 'redact'), ...revealing];
}

function toContainerRule(priority: number, container: string, transform: (typeof transforms)[number]): LimitedRule {
  return { priority, container, transform, permissions };
}

/** Returns a request that grants rights or asks about them. */
export function drawRightsRequest(
  random: SeededRandom,
  around: { readonly keys: Readonly<Record<string, string>>; readonly applicationId: string; readonly tokenId: string },
): MeasuredRequest {
  const { keys, applicationId, tokenId } = around;
  const { management = '' } = keys;
  const rules = listContainerRules(random.pick([1, rulesMax, rulesMax, rulesMax + 1]));
  const application = { name: 'Rules', type: 'private', permissions: [], rules };
  const place = random.pick([
    { container: '/' },
    { container: `/c${random.below(rulesMax)}/` },
    { token_id: tokenId },
    { container: '/'.padEnd(399, 'c').concat('/') },
  ]);
  const draws: readonly (() => MeasuredRequest)[] = [
    () => post('/applications', management, application),
    () => ({
      ...post(`/applications/${applicationId}`, management, { ...application, type: undefined }),
      method: 'PUT',
    }),
    () => ({
      method: 'GET',
      path: random.pick(['/applications?size=100', `/applications/${applicationId}`]),
      key: management,
    }),
    () => post('/access/who', management, place),
    () => post('/access/explain', management, { application_id: applicationId, ...place }),
    () => post('/access/explain', management, { permissions: [], rules, ...place }),
    () =>
      post('/sessions/authorize', random.pick([keys['reveal'], keys['limited'], keys['stacked']]) ?? '', {
        nonce: nonceMark,
        rules: random.pick([listConditionalRules(4), listConditionalRules(), listEclipsedRules(), rules]),
      }),
  ];
  return random.pick(draws)();
}
