-- An erasure removes no more than was confirmed, and its receipt is about the run and not about the first count.
alter table erasures add column confirmed bigint;
alter table erasures add column sealing_at timestamptz(3);
comment on column erasures.counted is 'How many tokens matched when it was created.';
comment on column erasures.confirmed is 'The most tokens that it may remove. Null until it is confirmed, and if an earlier version confirmed it: then counted is the most.';
comment on column erasures.held is 'How many more match but are kept by a legal hold: first as counted, and from sealing on as the run has left them.';
comment on column erasures.is_limited is 'Whether the requester could not delete every token when it was counted or in any batch, so that tokens that match may be left.';
comment on column erasures.sealing_at is 'When its last token was removed, and it began to wait for the log.';
grant update (confirmed, held, is_limited, sealing_at) on erasures to strongroom_app;
