// The page that records when each long run was last completed, in a table with one row per run.

/** Returns the page with the last run updated in the row of a script. */
export function withLastRun(page, name, { date, commit, minutes, isPassed, own }) {
  const lines = page.split('\n');
  const at = lines.findIndex((line) => nameIn(line) === name);
  if (at === -1) throw new Error(`The table of long runs has no row for ${name}. Add one.`);
  const options = own.length === 0 ? '' : ` with \`${own.join(' ').replaceAll('|', '/')}\``;
  const time = minutes < 90 ? `${Math.max(1, Math.round(minutes))} min` : `${(minutes / 60).toFixed(1)} h`;
  const cells = lines[at].split('|').slice(1, 4);
  const last = `${date}, ${commit}, ${isPassed ? 'passed' : '**failed**'} after ${time}${options}`;
  lines[at] = `|${cells.join('|')}| ${last} |`;
  return lines.join('\n');
}

/** Returns the names of the scripts in the table. */
export function namesIn(page) {
  return page.split('\n').flatMap((line) => nameIn(line) ?? []);
}

function nameIn(line) {
  return /^\| `npm run ([^`]+)` +\|/.exec(line)?.[1];
}
