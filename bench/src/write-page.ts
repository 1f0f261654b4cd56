import { parseArgs } from 'node:util';
import { isPageCurrent, writePage } from './performance-page.ts';

/* Writes docs/performance.md from what was recorded; with --check it only says whether that would change it. */
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
if (!values.check) await writePage();
else if (!(await isPageCurrent())) {
  process.stderr.write('docs/performance.md is not what bench/results says. Run `npm run bench:page`.\n');
  process.exitCode = 1;
}
