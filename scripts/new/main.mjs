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
  token-type <name>    a type of token, named with dashes: tax-number is served as tax_number
  --dry-run            lists the files and writes nothing
`;

try {
  run();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function run() {
  const { kind, name, isDryRun } = readCommandLine();
  const problem = findNameProblem(kind, name);
  if (problem !== undefined) throw new Error(problem);

  // npm runs scripts in the folder of the repository.
  const root = process.cwd();
  const files = toSkeleton(kind, name, root);
  const existing = findExisting(root, kind, name, files);
  if (existing !== undefined) throw new Error(`There is already ${existing}. Choose another name.`);

  if (!isDryRun) writeFiles(root, files);
  const test = [...files.keys()].find((file) => file.endsWith('.test.ts')).replace(/^server\//, '');
  const lines = [
    `${isDryRun ? 'Would write' : 'Wrote'}:`,
    ...[...files.keys()].map((file) => `  ${file}`),
    '\nRun its test until it passes:',
    `  cd server && npx vitest run ${test}`,
    '\nLeft to do (docs/contributing/adding-things.md; paths are below server/src or the repository):\n',
    readChecklist(kind, name),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Returns what to write. Throws an error that names the mistake and shows the usage. */
function readCommandLine() {
  const options = { 'dry-run': { type: 'boolean' } };
  const { values, positionals } = parseArgs({ allowPositionals: true, strict: false, options });
  const [kind, name, ...rest] = positionals;
  const option = Object.keys(values).find((key) => !Object.hasOwn(options, key));
  if (option !== undefined) throw new Error(`There is no option "${option}".\n\n${usage}`);
  if (kind === undefined) throw new Error(usage);
  if (!Object.hasOwn(kinds, kind)) {
    throw new Error(`There is no kind "${kind}": use ${Object.keys(kinds).join(', ')}.\n\n${usage}`);
  }
  if (name === undefined) throw new Error(`The name of the ${kind} is missing.\n\n${usage}`);
  if (rest.length > 0) throw new Error(`Use one name, with dashes between words: "${[name, ...rest].join('-')}".`);
  // Without `--` before the parameters, npm takes the option itself and only passes it on in the environment.
  const isDryRun = values['dry-run'] !== undefined || process.env['npm_config_dry_run'] === 'true';
  return { kind, name, isDryRun };
}
