import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../../core/audit/record-text.ts';
import { toRecordLine } from '../model/stream-line.ts';
import { toOcsf } from './ocsf.ts';

const record: AuditRecord = {
  tenant_id: '11111111-1111-4111-8111-111111111111',
  id: '22222222-2222-4222-8222-222222222222',
  created_at: 1_795_000_000_000,
  sealing_order: '7',
  entity_type: 'token',
  entity_id: '33333333-3333-4333-8333-333333333333',
  operation: 'read',
  outcome: 'success',
  actor_id: '44444444-4444-4444-8444-444444444444',
  actor_type: 'application',
  key_id: '55555555-5555-4555-8555-555555555555',
  request_id: 'request-1',
  source_address: '203.0.113.7',
  containers: ['/pci/'],
  destination: null,
  transform: 'reveal',
  details: null,
};
const toEvent = (more: Partial<AuditRecord>) => toOcsf(toRecordLine({ ...record, ...more }, 3));

/** The attributes that OCSF 1.3 requires of every event, and of each class. */
const required = ['activity_id', 'category_uid', 'class_uid', 'metadata', 'severity_id', 'time', 'type_uid'];
const requiredByClass = {
  6003: ['actor', 'api', 'src_endpoint'],
  3002: ['user'],
  2004: ['finding_info'],
};

describe('an event of OCSF', () => {
  it.each([
    ['API Activity for a read', {}, 600_302, 1],
    ['API Activity for a search that was denied', { operation: 'search', outcome: 'denied' }, 600_302, 2],
    [
      'API Activity for an operation of our own',
      { operation: 'rewrap', actor_id: null, actor_type: 'system' },
      600_399,
      1,
    ],
    ['Authentication for a sign-in', { operation: 'sign_in', actor_type: 'user' }, 300_201, 1],
    ['Authentication for a sign-out', { operation: 'sign_out', actor_type: 'user' }, 300_202, 1],
    ['Detection Finding for an alert', { operation: 'alert', details: '{"rule":"misses","count":50}' }, 200_401, 1],
  ])('is %s, with every attribute that the class requires', (_, more, type, status) => {
    const event = toEvent(more);
    expect(event).toMatchObject({ type_uid: type, status_id: status, time: record.created_at });
    const { class_uid: kind } = event as { class_uid: keyof typeof requiredByClass };
    expect(Object.keys(event)).toEqual(expect.arrayContaining([...required, ...requiredByClass[kind]]));
  });

  it('says who did what to which entity, and contains the line itself', () => {
    expect(toEvent({})).toEqual({
      time: record.created_at,
      metadata: {
        version: '1.3.0',
        uid: `${record.tenant_id}/record/3`,
        tenant_uid: record.tenant_id,
        product: { name: 'Strongroom', vendor_name: 'Strongroom' },
        correlation_uid: 'request-1',
      },
      category_uid: 6,
      class_uid: 6_003,
      activity_id: 2,
      activity_name: 'read',
      type_uid: 600_302,
      severity_id: 1,
      status_id: 1,
      status: 'success',
      api: { operation: 'token:read', request: { uid: 'request-1' } },
      actor: { app_uid: record.actor_id, session: { credential_uid: record.key_id } },
      src_endpoint: { ip: '203.0.113.7' },
      resources: [{ uid: record.entity_id, type: 'token' }],
      unmapped: { strongroom: { kind: 'record', position: 3, ...record } },
    });
  });
});
