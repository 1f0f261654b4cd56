import { describe, expect, it } from 'vitest';
import { parseJoiningRules } from './joining-rules.ts';

const acme = '0a1b2c3d-1b2c-4d3e-8f90-a1b2c3d4e5f6';
const other = '0a1b2c3d-1b2c-4d3e-8f90-a1b2c3d4e5f7';
const rule = { domains: ['acme.example'], roles: { 'vault-admins': 'ADMIN', '*': 'READ_ONLY' } };
const parse = (value: unknown) => parseJoiningRules(JSON.stringify(value));

describe('who joins a tenant at the first sign-in', () => {
  it('is read by tenant', () => {
    expect(parse({ [acme.toUpperCase()]: rule })).toEqual([
      { tenantId: acme, domains: ['acme.example'], roles: new Map(Object.entries(rule.roles)) },
    ]);
    expect(parse({})).toEqual([]);
  });

  it.each([
    ['no object', []],
    ['no id of a tenant', { acme: rule }],
    ['no domain', { [acme]: { ...rule, domains: [] } }],
    ['a domain in upper case', { [acme]: { ...rule, domains: ['Acme.example'] } }],
    ['a domain with a letter that looks like another', { [acme]: { ...rule, domains: ['ban\u212a.example'] } }],
    ['a whole address', { [acme]: { ...rule, domains: ['ada@acme.example'] } }],
    ['a domain with a wildcard', { [acme]: { ...rule, domains: ['*.example'] } }],
    ['a top-level domain', { [acme]: { ...rule, domains: ['example'] } }],
    ['no group', { [acme]: { ...rule, roles: {} } }],
    ['an owner', { [acme]: { ...rule, roles: { admins: 'OWNER' } } }],
    ['a misspelled member', { [acme]: { ...rule, role: {} } }],
    ['the same tenant twice', { [acme]: rule, [acme.toUpperCase()]: { ...rule, domains: ['acme.org'] } }],
    ['a domain of two tenants', { [acme]: rule, [other]: rule }],
  ])('is refused with %s', (_, value) => {
    expect(parse(value)).toBeUndefined();
  });

  it('is refused if it is not JSON', () => {
    expect(parseJoiningRules('{')).toBeUndefined();
  });
});
