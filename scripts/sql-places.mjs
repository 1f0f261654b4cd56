// Checks that SQL occurs only in the files named below, so that an auditor who reads those files has seen every
// statement.
//
// `node scripts/sql-places.mjs` fails if another file of the server contains SQL. The rules of dependency-cruiser only
// see which files import the driver, and no lint rule reads strings. This script reads every string and template in the
// source, but no comments. It looks for SQL in every form used here: statements, and the fragments that statements are
// built from.
import { globSync, readFileSync } from 'node:fs';
import { parseSync } from '@swc/core';

/**
 * Stores and their shared parts, and the platform folders that own tables. The rule `sql-in-stores` names the same
 * folders.
 */
const places = [
  /-(?:store|sql)\.ts$/,
  /^server\/src\/platform\/(database|audit|keyring|jobs|local-postgres)\//,
  /\.test\.ts$/,
];

const types =
  'bigint|boolean|bytea|date|float8|inet|integer|interval|jsonb?|numeric|regclass|smallint|text|timestamptz|uuid|xid8?';

/**
 * Patterns that match SQL, but no sentence, path or pattern in this repository. A `?` marks an interpolated part of a
 * template.
 */
const shapes = [
  ['a query', /\bselect\s[\s\S]*\sfrom\s|^\s*select\s/],
  ['an insert', /\binsert\s+into\s/],
  ['an update', /\bupdate\s+[\w.?"]+\s+(?:as\s+\w+\s+)?set\s+[\w"(?][^.]*=/],
  ['a delete', /\bdelete\s+from\s/],
  [
    'a common table expression',
    /\bwith\s+\w+\s+as\s|\bas\s+(?:not\s+)?(?:materialized\s+)?\(\s*(?:select|insert|update|delete|with|values)\b/,
  ],
  ['a lock', /\block\s+table\s|\bfor\s+(?:no\s+key\s+)?(?:update|share)(?:\s+of|\s+skip|\s+nowait|\s*$)/],
  ['a setting of the session', /\bset\s+(?:local|session|role)\s/],
  [
    'a change of the schema',
    /\b(?:create|alter|drop)\s+(?:or\s+replace\s+|unique\s+|temporary\s+)*(?:table|index|function|trigger|role|database|policy|schema|view)\s/,
  ],
  ['a truncation', /^\s*truncate\s/],
  ['a transaction', /^\s*(?:begin|commit|rollback|savepoint\s.*|start transaction)\s*(?:;|$)/],
  ['a notification', /^\s*(?:notify|listen|unlisten)\s/],
  [
    'a call of a function',
    /\b(?:pg_\w+|now|encode|decode|unnest|coalesce|strpos|split_part|starts_with|octet_length|array_\w+|jsonb?_\w+|set_config)\(/,
  ],
  // A parameter on its own is allowed, because `Parameters` returns those to stores.
  ['a parameter', /[\s(=,<>]\$(?:\d+|\?)(?![\w{])/],
  ['a cast', new RegExp(`[\\w)?']::(?:${types})\\b`)],
  [
    'a clause',
    /\b(?:order|group|partition)\s+by\s|\b(?:left|inner|cross|outer)\s+join\s|\bon\s+conflict\b|\breturning\s+[\w*]|\bis\s+(?:not\s+)?null\b|=\s*any\s*\(/,
  ],
];

const findings = globSync('server/src/**/*.ts')
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !places.some((place) => place.test(file)))
  .sort()
  .flatMap(findSql);
for (const { file, line, shape } of findings) process.stderr.write(`${file}:${line}: ${shape} outside a store\n`);
if (findings.length > 0) {
  process.stderr.write(
    'Move it into a file named *-store.ts, or *-sql.ts for parts; ARCHITECTURE.md says where SQL is.\n',
  );
  process.exitCode = 1;
}

function findSql(file) {
  const source = readFileSync(file, 'utf8');
  const program = parseSync(source, { syntax: 'typescript', target: 'esnext' });
  const bytes = Buffer.from(source, 'utf8');
  return [...literalsOf(program)].flatMap(({ text, start }) => {
    const [shape] = shapes.find(([, pattern]) => pattern.test(withoutCapitals(text))) ?? [];
    if (shape === undefined) return [];
    // The parser counts bytes, starting from one.
    const line = bytes.toString('utf8', 0, start - 1).split('\n').length;
    return [{ file, line, shape }];
  });
}

/**
 * Converts words in all capitals to lower case, because some people write keywords that way. A single leading capital
 * is kept, because it starts a sentence.
 */
function withoutCapitals(text) {
  return text.replaceAll(/\b[A-Z]{2,}\b/g, (word) => word.toLowerCase());
}

/** Yields every string of a program, with a `?` for each interpolated part of a template. */
function* literalsOf(node) {
  if (typeof node !== 'object' || node === null) return;
  if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return;
  if (node.type === 'StringLiteral') yield { text: node.value, start: node.span.start };
  if (node.type === 'TemplateLiteral')
    yield { text: node.quasis.map(({ cooked, raw }) => cooked ?? raw).join('?'), start: node.span.start };
  for (const child of Object.values(node)) yield* literalsOf(child);
}
