import { expect, it } from 'vitest';
import { toLogQuery } from './audit-queries';
import { leaveOut, parseAuditSearch, readExclusions } from './audit-search';

it('leaves out page views of members unless they are asked for', () => {
  expect(toLogQuery(parseAuditSearch({})).exclude).toBe('member_views');
  expect(toLogQuery(parseAuditSearch({ views: 'shown' })).exclude).toBeUndefined();
  expect(toLogQuery(parseAuditSearch({ not: 'operation:read' })).exclude).toBe('operation:read,member_views');
});

it('leaves out a value instead of requiring it', () => {
  const search = leaveOut({ operation: 'read', not: 'actor_type:user' }, { name: 'operation', value: 'read' });
  expect(search).toEqual({ operation: undefined, not: 'actor_type:user,operation:read' });
});

it('keeps the colons of an address', () => {
  expect(readExclusions({ not: 'source_address:2001:db8::1' })).toEqual([
    { name: 'source_address', value: '2001:db8::1' },
  ]);
});

it.each(['nothing', 'entity_id:x', 'operation:', ':read', ','])('ignores %j, which the vault would reject', (not) => {
  expect(readExclusions({ not })).toEqual([]);
});
