import { type GroundExpectations, type GroundFinding, ok } from './ground-finding.ts';
import type { GroundReading } from './ground-reading.ts';

const name = 'connection limit';
/**
 * The connections that a process opens in addition to its pool. A server has two listeners. A worker has one listener
 * and a pool of two connections for sealing, and a listener and a pool of three for jobs.
 */
const besidesOfServer = 2;
const besidesOfWorker = 7;

interface Limit {
  readonly of: string;
  readonly max: number;
  readonly used: number;
}

/** Returns how many connections the tightest limit still allows. */
export function connectionsLeft(reading: GroundReading): number {
  return Math.min(...limitsOf(reading).map(({ max, used }) => max - used));
}

export function checkConnectionLimit(reading: GroundReading, { connectionsMax }: GroundExpectations): GroundFinding {
  const workers = Math.max(0, reading.processes - reading.servers);
  // This assumes one server more than currently runs, because a rolling restart starts a new process before it stops an
  // old one.
  const needed =
    (reading.servers + 1) * (connectionsMax + besidesOfServer) + workers * (connectionsMax + besidesOfWorker);
  const tight = limitsOf(reading).filter(({ max }) => max < needed);
  const running = `${reading.servers} servers and ${workers} workers are running; with one more server they open up to ${needed} connections`;
  const left = connectionsLeft(reading);
  if (tight.length === 0 && left > 0) return ok(name, `${running}, ${left} are left`);
  const limits = tight.map(({ of, max }) => `${of} allows ${max}`);
  return {
    name,
    verdict: left > 0 ? 'warn' : 'fail',
    detail: [running, ...limits, `${left} are left`].join(', '),
    promise: 'every server can open the connections that it needs, also during a restart',
    remedy: 'raise the limit, or lower STRONGROOM_DATABASE_CONNECTIONS',
  };
}

function limitsOf(reading: GroundReading): Limit[] {
  const { roleLimit, databaseLimit } = reading;
  return [
    { of: 'the server', max: reading.serverLimit, used: reading.serverUsed },
    ...(roleLimit === null ? [] : [{ of: 'the login', max: roleLimit, used: reading.roleUsed }]),
    ...(databaseLimit === null ? [] : [{ of: 'the database', max: databaseLimit, used: reading.databaseUsed }]),
  ];
}
