-- Alerts wait here until they are in the log of their tenant: found and written in one step, a failure in between lost them or
-- wrote those of other tenants again and again.
alter table audit_alerts add column occurrences bigint;
alter table audit_alerts add column raised_at timestamptz(3) not null default now();
alter table audit_alerts add column recorded_at timestamptz(3);
comment on column audit_alerts.occurrences is 'What the record says; null for an alert that a worker of an earlier version has recorded itself.';
create index audit_alerts_unrecorded on audit_alerts (raised_at) where recorded_at is null and occurrences is not null;
