import type { FaultKind } from './fault.ts';
import { badLine } from './network.ts';

/** Faults of the services that the vault uses besides its database: Redis, the key service and the mail server. */
export const neighbourFaults: readonly FaultKind[] = [
  {
    name: 'Redis killed',
    lastsSeconds: [2, 10],
    begin: ({ outside }) => {
      outside.signalRedis('SIGKILL');
      return Promise.resolve(() => outside.startRedis());
    },
  },
  {
    name: 'Redis frozen',
    lastsSeconds: [2, 10],
    begin: ({ outside }) => {
      outside.signalRedis('SIGSTOP');
      return Promise.resolve(() => Promise.resolve(outside.signalRedis('SIGCONT')));
    },
  },
  badLine('half-open Redis connections', [2, 10], () => ({ kind: 'half-open' }), 'redis'),
  {
    name: 'key service away',
    lastsSeconds: [5, 20],
    begin: ({ outside }) => {
      outside.keysLine.set({ kind: 'reset' });
      return Promise.resolve(() => Promise.resolve(outside.keysLine.set({ kind: 'open' })));
    },
  },
  {
    name: 'key service slow',
    lastsSeconds: [5, 20],
    begin: ({ outside }, random) => {
      outside.keysLine.set({ kind: 'slow', ms: 500 + random.below(2_000) });
      return Promise.resolve(() => Promise.resolve(outside.keysLine.set({ kind: 'open' })));
    },
  },
  {
    name: 'mail server away',
    lastsSeconds: [5, 20],
    begin: ({ outside }) => {
      outside.mailLine.set({ kind: 'reset' });
      return Promise.resolve(() => Promise.resolve(outside.mailLine.set({ kind: 'open' })));
    },
  },
  {
    name: 'mail server silent',
    lastsSeconds: [5, 20],
    begin: ({ outside }) => {
      outside.mailLine.set({ kind: 'stalled', way: 'both' });
      return Promise.resolve(() => Promise.resolve(outside.mailLine.set({ kind: 'open' })));
    },
  },
];
