import { describe, expect, it } from 'vitest';
import { findIntendedName } from './intended-name.ts';

const known = [
  'id',
  'type',
  'data',
  'mask',
  'containers',
  'metadata',
  'search_indexes',
  'deduplicate_token',
  'expires_at',
];

describe('findIntendedName', () => {
  it.each([
    ['continers', 'containers'],
    ['container', 'containers'],
    ['contianers', 'containers'],
    ['Containers', 'containers'],
    ['metdata', 'metadata'],
    ['meta_data', 'metadata'],
    ['expiresAt', 'expires_at'],
    ['expires-at', 'expires_at'],
    ['expired_at', 'expires_at'],
    ['searchIndexes', 'search_indexes'],
    ['search_index', 'search_indexes'],
    ['dedupliacte_token', 'deduplicate_token'],
    ['tpye', 'type'],
    ['types', 'type'],
    ['ID', 'id'],
    ['iid', 'id'],
    ['idd', 'id'],
    ['di', 'id'],
    ['i', 'id'],
  ])('takes %s for %s', (written, intended) => {
    expect(findIntendedName(written, known)).toBe(intended);
  });

  it('takes the nearest of several', () => {
    expect(findIntendedName('portx', ['ports', 'pottx', 'portxx'])).toBe('ports');
    expect(findIntendedName('adminport', ['adminhost', 'admin_ports', 'admin-port'])).toBe('admin-port');
    expect(findIntendedName('admin_poort', ['admin_host', 'admin_pooort', 'admin_port'])).toBe('admin_pooort');
    expect(findIntendedName('proxy_pots', ['proxy_hosts', 'proxy_ports'])).toBe('proxy_ports');
  });

  it.each([
    'privacy',
    'encrypted',
    'token_intent_id',
    'ip',
    'if',
    'ids',
    'x',
    'tenant_id',
    'created_at',
    'tap',
    '',
    '数据',
    'x'.repeat(1_000_000),
  ])('takes %.20s for nothing that it knows', (written) => {
    expect(findIntendedName(written, known)).toBeUndefined();
  });

  it('is not misled by names that only separators are left of', () => {
    expect(findIntendedName('__', ['--'])).toBe('--');
    expect(findIntendedName('__', known)).toBeUndefined();
  });
});
