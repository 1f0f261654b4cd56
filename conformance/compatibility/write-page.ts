// Writes docs/compatibility.md from the results of the client suite. With --check, it only reports whether the page
// would change.
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { listClientCalls } from './client-calls.ts';
import { toCompatibilityPage } from './compatibility-page.ts';
import { parseTestCases } from './test-cases.ts';

const page = new URL('../../docs/compatibility.md', import.meta.url);
const {
  values: { check = false },
  positionals: [results = ''],
} = parseArgs({ allowPositionals: true, options: { check: { type: 'boolean' } } });

const calls = await listClientCalls();
const cases = parseTestCases(await readFile(results, 'utf8'), [...calls.keys()]);
const text = toCompatibilityPage(calls, cases);
const isCurrent = text === (await readFile(page, 'utf8').catch(() => ''));
if (!check) await writeFile(page, text);
else if (!isCurrent) {
  process.stderr.write(
    'docs/compatibility.md is not what the suite shows. Run `npm run table --workspace conformance`.\n',
  );
  process.exitCode = 1;
}
