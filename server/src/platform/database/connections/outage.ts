import pg from 'pg';
import { OperatorError } from '../../../core/errors/operator-error.ts';
import { codeOf, toError } from '../../../core/errors/thrown.ts';
import { membersOf } from '../../../core/objects/members-of.ts';

/**
 * The reason why PostgreSQL cannot be used at the moment, and advice for the operator. Neither contains text from
 * errors of PostgreSQL or the driver, because that may quote values.
 */
export interface Outage {
  readonly reason: string;
  readonly advice: string;
}

const urlVariable = 'STRONGROOM_DATABASE_URL';
const running = `Check that PostgreSQL is running and that ${urlVariable} names its host and port.`;
const network = 'Check the network between the vault and PostgreSQL.';
const login = `Check user and password in ${urlVariable}, and pg_hba.conf.`;

/** The reason if no response arrived. */
export const silent = 'no response in time';

/** The outage if PostgreSQL accepts connections but ends every session as soon as it begins. */
export const unserved: Outage = {
  reason: 'no session could be started',
  advice: 'Look at the log of PostgreSQL, and at the disk space of its machine.',
};

const byCode: ReadonlyMap<unknown, Outage> = new Map([
  ['ECONNREFUSED', { reason: 'connection refused', advice: running }],
  ['ENOENT', { reason: 'no such socket', advice: running }],
  ['ENOTFOUND', { reason: 'host name not found', advice: `Check the host in ${urlVariable}.` }],
  [
    'EAI_AGAIN',
    { reason: 'host name not found', advice: `Check the host in ${urlVariable}, and the DNS of this machine.` },
  ],
  ['EHOSTUNREACH', { reason: 'no route to the host', advice: network }],
  ['ENETUNREACH', { reason: 'no route to the host', advice: network }],
  ['ETIMEDOUT', { reason: silent, advice: network }],
  ['ECONNRESET', { reason: 'connection closed', advice: running }],
  ['EPIPE', { reason: 'connection closed', advice: running }],
  ['28P01', { reason: 'login refused', advice: login }],
  ['28000', { reason: 'login refused', advice: login }],
  ['3D000', { reason: 'no such database', advice: `Create the database, or check its name in ${urlVariable}.` }],
  [
    '53300',
    { reason: 'too many connections', advice: 'Raise max_connections, or lower STRONGROOM_DATABASE_CONNECTIONS.' },
  ],
  ['57P01', { reason: 'shut down', advice: running }],
  ['57P02', { reason: 'shut down', advice: running }],
  ['57P03', { reason: 'starting up or shutting down', advice: 'Wait until PostgreSQL accepts connections.' }],
]);

/** Outages by error message. Errors of the driver itself have no code. */
const byMessage: readonly (readonly [RegExp, Outage])[] = [
  [/timeout/i, { reason: silent, advice: network }],
  [
    /^Connection terminated|^Client has encountered a connection error/,
    { reason: 'connection closed', advice: running },
  ],
  [
    /SSL|certificate/i,
    { reason: 'no trusted TLS connection', advice: 'Check sslmode and the certificate of PostgreSQL.' },
  ],
];

/** Returns undefined if PostgreSQL was reached, or if the error is not about a connection. */
export function toOutage(error: unknown): Outage | undefined {
  if (error instanceof OperatorError) return { reason: 'unsuitable connection', advice: error.message };
  const known = byCode.get(codeOf(error));
  if (known !== undefined || error instanceof pg.DatabaseError) return known;
  return byMessage.find(([pattern]) => pattern.test(toError(error).message))?.[1];
}

/**
 * Returns an error for the operator who ran a command. Its single line says what happened and which setting to check.
 */
export function unreachable(error: unknown, variable = urlVariable): Error {
  if (error instanceof OperatorError) return error;
  const outage = toOutage(error);
  if (outage === undefined) return new Error(`The database cannot be used. Check ${variable}.`, { cause: error });
  const advice = outage.advice.replace(urlVariable, variable);
  return new OperatorError(`Database unreachable: ${outage.reason}${addressOf(error)}. ${advice}`);
}

/** Returns the address that could not be reached. If a host name has several addresses, it is the first one tried. */
function addressOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { address, port } = membersOf(first);
  if (typeof address !== 'string') return '';
  const host = address.includes(':') ? `[${address}]` : address;
  return ` (${typeof port === 'number' ? `${host}:${port}` : address})`;
}
