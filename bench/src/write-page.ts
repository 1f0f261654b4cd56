import { parseArgs } from 'node:util';
import { isPageCurrent, writePage } from './performance-page.ts';

/* Writes docs/performance.md from the recorded results. With --check, it only reports whether the page would change. */
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
if (!values.check) await writePage();
else if (!(await isPageCurrent())) {
  process.stderr.write('docs/performance.md is not what bench/results says. Run `npm run bench:page`.\n');
  process.exitCode = 1;
}
