-- The version of the tenant key that a sealed record names in its bytes 2 to 5; null if the text is too short to be one,
-- so that a damaged row can be reported instead of stopping the statement that looks at it.
create or replace function key_version(record bytea) returns integer
  language sql immutable strict parallel safe
  return case when length(record) >= 6 then ('x' || encode(substring(record from 3 for 4), 'hex'))::bit(32)::integer end;
