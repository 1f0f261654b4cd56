import { expect, it } from 'vitest';
import { Problem } from '../../../api/problem';
import { type ApplicationDraft, emptyDraft, firstGrantLimit, toSettings, withType } from './application-draft';
import { errorsAt } from './field-errors';

const full: ApplicationDraft = {
  ...emptyDraft,
  name: 'Checkout',
  hasDestinations: true,
  destinations: ' api.example.com \n\n*.example.org\n',
  hasOrigins: true,
  origins: 'https://shop.example.com',
  grantLimit: firstGrantLimit,
};

it.each([
  ['private', { allowed_destinations: ['api.example.com', '*.example.org'] }],
  ['public', { allowed_origins: ['https://shop.example.com'] }],
  ['management', { grant_limit: { permissions: [], containers: ['/'], transform: 'mask' } }],
] as const)('saves only what a %s application can have', (type, settings) => {
  expect(toSettings({ ...full, type })).toEqual({ name: 'Checkout', permissions: [], rules: [], ...settings });
});

it('keeps the permissions that another type can have, and no empty rule', () => {
  const rule = { description: '', priority: 1, container: '/', transform: 'mask' } as const;
  const rules = [
    { ...rule, permissions: ['token:create', 'token:read'] },
    { ...rule, permissions: ['token:read'] },
  ];
  const draft = { ...full, rights: { permissions: ['token:create', 'token:use'], rules } };
  expect(withType(draft, 'public', new Set(['token:create'])).rights).toEqual({
    permissions: ['token:create'],
    rules: [{ ...rule, permissions: ['token:create'] }],
  });
});

it('finds the errors about a field and what is inside it', () => {
  const problem = new Problem(400, { errors: { rules: ['a'], 'rules.0.container': ['b'], rulesets: ['c'] } });
  expect(errorsAt(problem, 'rules')).toEqual(['a', 'b']);
  expect(errorsAt(new Error('another'), 'rules')).toEqual([]);
});
