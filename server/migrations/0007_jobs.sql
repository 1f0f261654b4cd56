-- Background jobs live in graphile-worker's own schema, which the application's role cannot touch. It adds jobs through
-- this function, inside the transaction that needs them: a job exists exactly when its cause was committed.
create function enqueue_job(task text, payload json, job_key text, delay_seconds integer) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform graphile_worker.add_job(
    identifier => task, payload => payload, job_key => job_key, run_at => now() + make_interval(secs => delay_seconds));
end
$$;
revoke execute on function enqueue_job(text, json, text, integer) from public;
grant execute on function enqueue_job(text, json, text, integer) to strongroom_app;
