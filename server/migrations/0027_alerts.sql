-- Watching the log for bursts. The worker goes through sealed records once, whichever server wrote them, so requests pay
-- nothing for it; what it has to remember of the time before is here.

-- How far it has come in sealing order; null before the first look, which begins with what is sealed from then on.
create table audit_watch_position (
  only_row boolean not null default true,
  watched_to bigint,
  constraint audit_watch_position_pkey primary key (only_row),
  constraint audit_watch_position_one_row check (only_row)
);
insert into audit_watch_position (watched_to) values (null);

create table audit_watched (
  tenant_id uuid not null,
  key_id uuid not null,
  rule text collate "C" not null,
  bucket timestamptz(3) not null,
  value text collate "C" not null,
  occurrences bigint not null,
  seen_at timestamptz(3) not null default now(),
  constraint audit_watched_pkey primary key (tenant_id, key_id, rule, bucket, value)
);
create index audit_watched_seen on audit_watched (seen_at);
comment on column audit_watched.bucket is 'Start of the window; -infinity for addresses, which are remembered for longer.';
comment on column audit_watched.value is 'The token or the address; empty for misses, which are only counted.';

-- One row for each alert, so that there is one in a window and not one a request.
create table audit_alerts (
  tenant_id uuid not null,
  key_id uuid not null,
  rule text collate "C" not null,
  bucket timestamptz(3) not null,
  constraint audit_alerts_pkey primary key (tenant_id, key_id, rule, bucket)
);
create index audit_alerts_of_time on audit_alerts (bucket);

do $$
declare
  name text;
begin
  foreach name in array array['audit_watch_position', 'audit_watched', 'audit_alerts'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy %I on %I to strongroom_sealer using (true) with check (true)', name || '_system', name);
    execute format('grant select, insert, update, delete on %I to strongroom_sealer', name);
  end loop;
end
$$;
