// Writes the skeleton of something new, with tests that fail until it is filled in: `npm run new -- endpoint order`.
// docs/contributing/adding-things.md lists the remaining steps.
import { parseArgs } from 'node:util';
import { readChecklist } from './checklist.mjs';
import { kinds, toSkeleton } from './skeleton.mjs';
import { findExisting, writeFiles } from './skeleton-files.mjs';
import { findNameProblem } from './name-forms.mjs';

const usage = `npm run new -- <kind> <name> [--dry-run]

  endpoint <name>      create, list and get of a resource of the tenant, named in the singular: order
  page <name>          a page of the portal, named like its path: orders
  token-type <name>    a type of token: tax-number
  --dry-run            lists the files and writes nothing
`;

try {
  run();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function run() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'dry-run': { type: 'boolean' } } });
  const [kind, name, ...rest] = positionals;
  if (!Object.hasOwn(kinds, kind ?? '') || name === undefined || rest.length > 0) throw new Error(usage);
  const problem = findNameProblem(kind, name);
  if (problem !== undefined) throw new Error(problem);

  // npm runs scripts in the folder of the repository.
  const root = process.cwd();
  const files = toSkeleton(kind, name, root);
  const existing = findExisting(root, kind, name, files);
  if (existing !== undefined) throw new Error(`There is already ${existing}. Choose another name.`);

  const isDryRun = values['dry-run'] === true;
  if (!isDryRun) writeFiles(root, files);
  process.stdout.write(`${isDryRun ? 'Would write' : 'Wrote'}:\n`);
  for (const file of files.keys()) process.stdout.write(`  ${file}\n`);
  process.stdout.write(
    `\nLeft to do (docs/contributing/adding-things.md; paths are below server/src or the repository):\n\n${readChecklist(kind, name)}\n`,
  );
}
