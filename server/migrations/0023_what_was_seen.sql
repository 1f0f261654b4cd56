-- breaking
-- What a record says beyond who did what to which: the view that the caller was shown, and what the operation was about in
-- particular. A worker of an earlier version would seal new records without these columns, and the log would not verify.
alter table audit_records add column transform text;
alter table audit_records add column details text;
comment on column audit_records.transform is 'redact, mask or reveal: the view of the data that left the vault.';
comment on column audit_records.details is 'JSON text, as it is sealed: fields asked for, counts, changes of rights. Never a value.';
