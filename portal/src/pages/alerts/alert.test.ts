import { expect, it } from 'vitest';
import type { LogRecord } from '../../parts/show/said';
import { sayAlert, sayReason, toAlerts } from './alert';

const record = (id: string, details: object): LogRecord => ({
  id,
  tenant_id: 't',
  entity_type: 'key',
  entity_id: 'key-1',
  operation: 'alert',
  outcome: 'success',
  message: '',
  created_at: '2026-05-04T12:10:00.000Z',
  details: { ...details },
});
const raised = record('a', { rule: 'misses', count: 1_200, from: '2026-05-04T12:00:00.000Z', minutes: 10 });

it('says what happened, and names the time that was watched', () => {
  const [alert] = toAlerts([raised], []);
  expect(alert).toMatchObject({ to: '2026-05-04T12:10:00.000Z', acknowledged: [], isOfMember: false });
  expect(alert && sayAlert(alert)).toBe(
    'asked for 1,200 things that do not exist within 10 minutes. Guessing looks like this.',
  );
});

it('knows what was found out about each alert, and not about others', () => {
  const handled = record('x', { within: 'a', reason: 'handled' });
  const other = record('y', { within: 'b', reason: 'expected' });
  const [alert] = toAlerts([raised], [handled, other]);
  expect(alert?.acknowledged).toEqual([handled]);
  expect(sayReason(handled)).toContain('Handled');
  expect(sayReason(record('z', {}))).toBe('Seen');
});
