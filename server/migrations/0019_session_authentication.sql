-- An OpenID provider may let somebody through without asking anything, hours after they showed who they are.
alter table user_sessions add column is_authenticated boolean not null default true;
comment on column user_sessions.is_authenticated is 'Whether the session began with its user showing who they are; false where a provider did not ask.';
