-- no transaction
-- What happened at a time, for charts and lists of values. Without `records`: an index that holds it would be written again with
-- every record that is counted.
create index concurrently audit_facets_of_time on audit_facets (tenant_id, field, grain, bucket)
