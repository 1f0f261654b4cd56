-- A row here is a claim: writers who want one token for one value wait for each other at it. Claims used to outlive their
-- tokens, so that a deleted value could still be recognised. Now the transaction that makes one removes it again, and
-- whatever is left of earlier versions says nothing that anybody needs. Row-level security would hide the rows of all
-- tenants from a delete of the owner.
truncate token_fingerprints;
comment on table token_fingerprints is 'Claims of deduplicated creates. Each is removed by the transaction that makes it.';
