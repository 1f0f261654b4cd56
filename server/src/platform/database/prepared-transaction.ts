import { DomainError } from '../../core/errors/domain-error.ts';
import { isNoSuchTransaction, isPreparingOff, unconfirmed, withoutStandby } from './database-error.ts';
import { loaded, loadedOf, requireStandby } from './commit-on-standby.ts';
import type { SqlRow, Statement } from './statement.ts';
import { quotePrepared } from './transaction-text.ts';

type Send = <Row extends SqlRow>(statement: Statement) => Promise<Row[]>;

/** What `require_synchronous_standby` looks at, for a session that is in no transaction. */
const standbys = {
  name: 'standbys',
  text: 'select needed, attached, pg_conf_load_time()::text as loaded from synchronous_standbys()',
};

/**
 * Prepares the transaction that is open. If a standby is required and may not have it, the caller is told as if it had been refused,
 * and has to roll it back: nothing of it is there for anybody.
 */
export async function prepareTransaction(send: Send, name: string, requiresStandby: boolean): Promise<void> {
  const prepare = { text: `prepare transaction ${quotePrepared(name)}` };
  try {
    if (!requiresStandby) return void (await send(prepare));
    const before = loadedOf(await send(requireStandby));
    await send(prepare);
    if (before !== null && before !== loadedOf(await send(loaded))) throw withoutStandby(undefined);
  } catch (error) {
    throw isPreparingOff(error) ? preparingOff(error) : error;
  }
}

/**
 * Ends a transaction that may be prepared, and tells whether it was: a server and a worker may both try. As any commit, it is only made
 * if a required standby is attached, and only reported if the standby was waited for; it stays prepared otherwise. It cannot be part
 * of a transaction, so the check comes before it.
 */
export async function endPrepared(
  send: Send,
  name: string,
  { isCommitted, requiresStandby }: { readonly isCommitted: boolean; readonly requiresStandby: boolean },
): Promise<boolean> {
  const end = { text: `${isCommitted ? 'commit' : 'rollback'} prepared ${quotePrepared(name)}` };
  if (!isCommitted || !requiresStandby) return sendEnd(send, end);
  const before = await send<{ needed: number; attached: number | null }>(standbys);
  const [{ needed, attached } = { needed: 0, attached: 0 }] = before;
  if (needed === 0 || (attached ?? needed) < needed) throw withoutStandby(undefined);
  const wasPrepared = await sendEnd(send, end);
  if (loadedOf(before) !== loadedOf(await send(loaded))) throw unconfirmed();
  return wasPrepared;
}

async function sendEnd(send: Send, end: Statement): Promise<boolean> {
  try {
    await send(end);
    return true;
  } catch (error) {
    if (!isNoSuchTransaction(error)) throw error;
    return false;
  }
}

function preparingOff(cause: unknown): DomainError {
  return new DomainError(
    'overloaded',
    'A database of this vault does not take part in writes to several databases. Operators: set max_prepared_transactions to at least 100 on every database of the vault, and restart it.',
    { cause },
  );
}
