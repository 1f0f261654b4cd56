-- A queue of our own in place of graphile-worker's (ADR 27). One row is one job; a key names it, and enqueueing the same key
-- again replaces it. A worker takes a job by moving `run_at` ahead and goes on doing so while it works: the job of a
-- worker that died becomes due again by itself.
create table jobs (
  key text not null,
  task text not null,
  payload jsonb not null default '{}',
  run_at timestamptz not null default now(),
  attempts integer not null default 0,
  claim uuid,
  created_at timestamptz not null default now(),
  constraint jobs_pkey primary key (key),
  constraint jobs_key_length check (char_length(key) between 1 and 200),
  constraint jobs_task_length check (char_length(task) between 1 and 100)
);
create index jobs_due on jobs (run_at);
comment on column jobs.run_at is 'When the job is due; of a job that is being done, when it would be taken from a worker that stays silent.';
comment on column jobs.claim is 'Drawn by the worker that has the job. Without it nothing is recorded of an attempt, so that of a job which was replaced or taken away meanwhile nothing is.';

-- A sixth role, for the worker: it takes jobs, and can read and write nothing else.
do $$
begin
  create role strongroom_worker nologin;
exception when duplicate_object then null;
end
$$;
grant strongroom_worker to current_user;
grant usage on schema public to strongroom_worker;
grant select, insert, update, delete on jobs to strongroom_worker;

create or replace function enqueue_job(task text, payload json, job_key text, delay_seconds integer) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  -- Nobody replaces the job of another task, or one that runs by itself, whose key is its name alone.
  if not starts_with(job_key, task || ':') then
    raise exception 'the key of a job begins with its task';
  end if;
  insert into public.jobs (key, task, payload, run_at)
    values (job_key, enqueue_job.task, enqueue_job.payload::jsonb, now() + make_interval(secs => delay_seconds))
    on conflict on constraint jobs_pkey do update
      set task = excluded.task, payload = excluded.payload, run_at = excluded.run_at, attempts = 0, claim = null,
        created_at = excluded.created_at;
end
$$;

create or replace function withdraw_invitation_mail() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.jobs where key = 'mail-invitation:' || old.id;
  return null;
end
$$;

-- What waits in the queue before this one. A job without a key was replaced while it ran, or comes again by the clock. One
-- that is being done right now is left to its worker for five minutes. The schema itself stays for workers of the version
-- before, which look into it until they are replaced.
do $$
begin
  if to_regclass('graphile_worker._private_jobs') is null then return; end if;
  with moved as (
    delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
      where t.id = j.task_id and j.key is not null
      returning j.key, t.identifier, j.payload, j.run_at, j.locked_at, j.created_at
  )
  insert into jobs (key, task, payload, run_at, created_at)
    select key, identifier, payload::jsonb,
      case when locked_at is null then run_at else greatest(run_at, now() + interval '5 minutes') end, created_at
    from moved;
end
$$;
