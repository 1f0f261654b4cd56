-- A move names the comparison after which the tenant left, so that a target that was restored since does not open what it has.
alter table tenant_moves add column attempt uuid;
comment on column tenant_moves.attempt is 'Identifies the last comparison of both vaults. The target opens only what was compared when the source let go.';
