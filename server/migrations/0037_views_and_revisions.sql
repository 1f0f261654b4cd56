-- Whose views a token has, and how often it was written without a change of its data. Both are null for most tokens.
alter table tokens add column views jsonb;
comment on column tokens.views is 'Of the views that the token was given: authors who could see its plaintext, by view, and whether the mask shows all of the data. Holds for the version in it only: a server of an earlier version changes views and leaves this as it is.';
alter table tokens add column revision integer;
comment on column tokens.revision is 'Counts the writes of this version that left the data as it is. The ciphertext is bound to the version alone.';
