-- In a vault with several databases, a batch of an import is written to several of them, and its position moves last. What is planned
-- first says which ids the rows of the batch get and which of those were taken: a batch that is repeated after a crash finds its own
-- rows again. On a node, `planned` has the lines that were written there.
alter table token_imports add column planned json;
comment on column token_imports.planned is 'The batch under way: its ids by line, and those that were taken before. Null in a vault with one database.';
