import { unconfirmed } from './database-error.ts';

/**
 * Each statement returns the time at which the session last loaded PostgreSQL's configuration. The first returns null
 * if nothing was written.
 */
const requireText = 'select require_synchronous_standby() as loaded';
const loadedText = 'select pg_conf_load_time()::text as loaded';

/**
 * Commits only if a synchronous standby is attached. A check before the commit is not enough: if
 * `synchronous_standby_names` is emptied while a commit waits, PostgreSQL ends the wait as if a standby had confirmed,
 * without a warning. A session reloads a changed configuration before it processes its next message, so a second query
 * after the commit shows whether that may have happened. All three statements are sent without waiting for each other.
 * A failed check turns the commit into a rollback.
 */
export async function commitOnStandby(
  send: (statement: { readonly name?: string; readonly text: string }) => Promise<object[]>,
): Promise<void> {
  const [checked, committed, asked] = await Promise.allSettled([
    send({ name: 'require_standby', text: requireText }),
    send({ text: 'commit' }),
    send({ name: 'configuration_loaded', text: loadedText }),
  ]);
  if (checked.status === 'rejected') throw checked.reason;
  if (committed.status === 'rejected') throw committed.reason;
  // The commit has happened, but it is no longer possible to tell whether it waited for a standby.
  if (asked.status === 'rejected') throw unconfirmed();
  const before = loadedOf(checked.value);
  if (before !== null && before !== loadedOf(asked.value)) throw unconfirmed();
}

function loadedOf([row]: readonly object[]): unknown {
  return row !== undefined && 'loaded' in row ? row.loaded : undefined;
}
