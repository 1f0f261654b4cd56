/** The functions that write are those of the migrations that a server calls by a select. */
const changes = /\b(?:insert into|update|delete from|enqueue_job|join_user|close_older_keys)\b/i;
const byName = new Map<string, boolean>();

/** Whether it matters whether the statement was committed. One that only locks rows counts as well. */
export function isChanging({ name, text }: { readonly name?: string; readonly text: string }): boolean {
  // A prepared statement has one text: looked at once, since the longest take longer to search than to send.
  if (name === undefined) return changes.test(text);
  const known = byName.get(name);
  if (known !== undefined) return known;
  const isChange = changes.test(text);
  byName.set(name, isChange);
  return isChange;
}
