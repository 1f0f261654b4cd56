import { describe, expect, it } from 'vitest';
import { type AuditEvent, noSingleEntity, successEvent } from './audit-event.ts';
import { toCommonRecords } from './common-records.ts';

const parsed = (events: readonly AuditEvent[]) =>
  toCommonRecords('system', events).map((text) => JSON.parse(text) as Record<string, unknown>);

describe('toCommonRecords', () => {
  it('writes what events have in common once, with what each of them is about', () => {
    const events = ['a', 'b', 'c'].map((id) => ({ ...successEvent('token', id, 'read'), containers: ['/x/'] }));
    expect(parsed(events)).toEqual([
      {
        entity_ids: ['a', 'b', 'c'],
        entity_type: 'token',
        operation: 'read',
        outcome: 'success',
        actor_type: 'system',
        containers: ['/x/'],
      },
    ]);
  });

  it.each<[string, Partial<AuditEvent>]>([
    ['kind of entity', { entityType: 'card' }],
    ['operation', { operation: 'delete' }],
    ['outcome', { outcome: 'missed' }],
    ['container', { containers: ['/y/'] }],
    ['destination', { destination: 'example.com' }],
    ['transform', { transform: 'reveal' }],
    ['detail', { details: { via: 'replay' } }],
  ])('keeps events apart that differ in their %s', (_name, difference) => {
    const event: AuditEvent = { ...successEvent('token', 'a', 'read'), containers: ['/x/'], transform: 'mask' };
    const records = parsed([event, { ...event, ...difference, entityId: 'b' }, { ...event, entityId: 'c' }]);
    expect(records.map(({ entity_ids }) => entity_ids)).toEqual([['a', 'c'], ['b']]);
  });

  it('keeps the same thing twice, as it happened', () => {
    const event = successEvent('token', noSingleEntity, 'search');
    expect(parsed([event, event])).toMatchObject([{ entity_ids: ['*', '*'] }]);
  });
});
