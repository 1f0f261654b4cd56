import type { Application } from '../../api/applications';
import { type Transform, transforms } from '../../parts/access/rights';

const showing = new Set(['token:create', 'token:read', 'token:search', 'token:update', 'token:use']);

/**
 * Returns the most that the rights of an application show of any token. Plain permissions of a private application show
 * masked data. Undefined if they show no token at all.
 */
export function mostSeen({
  permissions,
  rules,
  type,
}: Pick<Application, 'permissions' | 'rules' | 'type'>): Transform | undefined {
  const byRules = rules
    .filter((rule) => rule.permissions.some((one) => showing.has(one)))
    .map(({ transform }) => transform);
  const plain: Transform[] = type !== 'management' && permissions.some((one) => showing.has(one)) ? ['mask'] : [];
  return [...byRules, ...plain].toSorted((a, b) => transforms.indexOf(b) - transforms.indexOf(a))[0];
}
