import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { wholeRounds } from './check/check.ts';
import type { RoundPlan, RoundSummary } from './round-process.ts';

/** Plays one round in its own process and returns its results. An aborted round is a finding. */
export async function play(plan: RoundPlan, show: (line: string) => void): Promise<RoundSummary> {
  await mkdir(plan.folder, { recursive: true });
  const file = path.join(plan.folder, 'plan.json');
  await writeFile(file, JSON.stringify(plan));
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'round-process.ts'), file], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.split('\n').filter(Boolean)) show(line);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) {
    const what = `it ended with ${String(code)}: ${complaint.slice(-2_000)}`;
    return { findings: [{ check: wholeRounds, what }], gaps: [], outcomes: {} };
  }
  return JSON.parse(await readFile(path.join(plan.folder, 'result.json'), 'utf8')) as RoundSummary;
}
