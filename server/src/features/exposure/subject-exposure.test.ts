import { describe, expect, it } from 'vitest';
import type { Log } from '../logs/index.ts';
import { SubjectExposureTally } from './subject-exposure.ts';
import { TokenViewersTally } from './token-viewers.ts';

const blank: Log = {
  id: crypto.randomUUID(),
  actorId: null,
  actorType: 'application',
  entityType: 'card',
  entityId: 'card 1',
  operation: 'read',
  outcome: 'success',
  transform: null,
  keyId: null,
  requestId: null,
  sourceAddress: null,
  containers: null,
  destination: null,
  details: null,
  createdAt: new Date(0),
};
const at = (second: number) => ({ createdAt: new Date(second * 1_000) });
const destination = 'api.example.com';

describe('SubjectExposureTally', () => {
  it('says where plaintext was sent, by which way it left, and when, whatever the order of the records', () => {
    const call = { ...blank, entityType: 'proxy', operation: 'invoke', entityId: 'call', destination } as const;
    const logs: Log[] = [
      { ...call, outcome: 'intent', ...at(1) },
      { ...blank, transform: 'reveal', destination, ...at(2) },
      { ...call, transform: 'reveal', ...at(3) },
      { ...call, outcome: 'failed', ...at(4) },
      { ...blank, transform: 'reveal', operation: 'update', details: '{"via":"view"}', ...at(5) },
    ];
    for (const ordered of [logs, logs.toReversed()]) {
      const tally = new SubjectExposureTally();
      for (const log of ordered) tally.add(log);
      const { records, tokens, calls } = tally.toExposure();
      expect(records).toBe(5);
      expect(tokens).toEqual([
        {
          tokenId: 'card 1',
          tokenType: 'card',
          transform: 'reveal',
          operations: new Set(['read', 'update']),
          ways: new Set(['view']),
          destinations: new Set([destination]),
          count: 2,
          firstAt: at(2).createdAt,
          lastAt: at(5).createdAt,
        },
      ]);
      expect(calls.map(({ outcome, sent, count }) => [outcome, sent, count])).toEqual([
        ['failed', 0, 1],
        ['success', 1, 1],
        ['intent', 0, 1],
      ]);
    }
  });

  it('counts a stored proxy as handed out, and not as a call to its destination', () => {
    const tally = new SubjectExposureTally();
    const made = { ...blank, entityType: 'proxy', entityId: 'route', destination } as const;
    for (const operation of ['create', 'update', 'read', 'delete'] as const) tally.add({ ...made, operation });
    const { calls, handedOut, others } = tally.toExposure();
    expect(calls).toEqual([]);
    expect(handedOut.map(({ entityId, operation }) => `${entityId} ${operation}`).toSorted()).toEqual([
      'route create',
      'route update',
    ]);
    expect(others.map(({ operation }) => operation).toSorted()).toEqual(['delete', 'read']);
  });

  it('counts webhooks, and the link of an invitation that somebody else made, as handed out', () => {
    const tally = new SubjectExposureTally();
    for (const operation of ['create', 'update', 'read', 'delete'] as const)
      tally.add({ ...blank, entityType: 'webhook', entityId: 'receiver', operation });
    tally.add({ ...blank, entityType: 'invitation', entityId: 'of another', operation: 'issue_link' });
    const { handedOut, others } = tally.toExposure();
    expect(handedOut.map(({ entityId, operation }) => `${entityId} ${operation}`).toSorted()).toEqual([
      'of another issue_link',
      'receiver create',
      'receiver update',
    ]);
    expect(others.map(({ operation }) => operation).toSorted()).toEqual(['delete', 'read']);
  });

  it('counts every name that a caller chooses, so that a report has a bound', () => {
    const hosts = ['a.example.com', 'b.example.com', 'c.example.com'];
    const tally = new SubjectExposureTally();
    const viewers = new TokenViewersTally();
    for (const host of hosts) {
      tally.add({ ...blank, entityType: 'proxy', operation: 'invoke', destination: host });
      tally.add({ ...blank, transform: 'reveal', destination: host });
      viewers.add({ ...blank, transform: 'reveal', destination: host, sourceAddress: host });
    }
    // The size counts a line for each call, one token, and the hosts that it was sent to.
    expect(tally.size).toBe(3 + 1 + 3);
    // The size counts one viewer, with its hosts and addresses.
    expect(viewers.size).toBe(1 + 3 + 3);
  });
});
