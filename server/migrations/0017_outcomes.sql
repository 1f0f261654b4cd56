-- Results of requests with an idempotency key are outcomes from now on: what a request did, to be judged and shown again
-- when it is repeated. What was kept before is the text of responses, which nobody can judge again, so it goes; its keys
-- stay used, so that nothing is done twice.
alter table idempotency_results no force row level security;
update idempotency_results set sealed = null where sealed is not null;
alter table idempotency_results force row level security;
comment on column idempotency_results.sealed is 'Ciphertext: status, location and outcome of the request (ids and versions, no data of tokens), bound to tenant and key_hash; null in a claim, and for an outcome that was not kept.';
