-- Since when the root key has been in use: rewrapping used to leave no time behind. Empty until the first rewrapping after
-- this migration, which means since the key was created.
alter table system_keys add column wrapped_at timestamptz(3);
comment on column system_keys.wrapped_at is 'When the root key that wraps this key took over from another; empty if it never did.';
grant update (wrapped_at) on system_keys to strongroom_system;
