-- A key creates other applications without approval, and each of them was a requester with a share of its own. So requests of
-- keys are counted by the member whose authority is behind the key. It is kept with the request, because the key may be gone
-- before the request is decided.
alter table approval_requests add column granted_by uuid;
comment on column approval_requests.granted_by is 'The member on whose authority the key acted that requested it; null for the operator''s and for a member.';
