import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type PlantedBug, plantedBugs } from './planted/planted-bugs.ts';
import { play } from './play.ts';
import { makeScratchFolder } from './scratch-folder.ts';

const repository = path.resolve(import.meta.dirname, '..');

const { values } = parseArgs({ options: { only: { type: 'string' }, seed: { type: 'string', default: '1' } } });
const missed: string[] = [];
const chosen = plantedBugs.filter(({ name }) => name.includes(values.only ?? ''));
for (const bug of chosen) {
  const startedAt = performance.now();
  const isFound = await findsPlanted(bug);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  process.stdout.write(`${isFound ? 'found ' : 'MISSED'} after ${seconds} s: ${bug.name}\n`);
  if (!isFound) missed.push(bug.name);
}
process.stdout.write(`${chosen.length - missed.length} of ${chosen.length} planted bugs found\n`);
process.exitCode = missed.length === 0 ? 0 : 1;

/** Runs the suite on a copy of the source with the mistake in it. */
async function findsPlanted(bug: PlantedBug): Promise<boolean> {
  const copy = await makeScratchFolder('planted');
  try {
    for (const part of ['src', 'migrations', 'assets', 'package.json']) {
      await cp(path.join(repository, 'server', part), path.join(copy, 'server', part), { recursive: true });
    }
    await symlink(path.join(repository, 'node_modules'), path.join(copy, 'node_modules'));
    await symlink(path.join(repository, 'server/node_modules'), path.join(copy, 'server/node_modules'));
    await plant(copy, bug);
    const lines: string[] = [];
    const { findings } = await play(
      {
        folder: path.join(copy, 'round'),
        main: path.join(copy, 'server/src/main.ts'),
        seed: Number(values.seed),
        rate: 150,
        // What the load alone brings to light needs no more than some of it.
        calmSeconds: bug.faults.length === 0 ? 20 : 3,
        faults: bug.faults,
      },
      (line) => lines.push(line),
    );
    const isFound = findings.some(({ check }) => check.includes(bug.found));
    const others = findings.map(({ check, what }) => `${check}: ${what}`);
    if (!isFound) process.stdout.write(`${[...lines, ...others].join('\n')}\n`);
    return isFound;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function plant(copy: string, { name, file, find, replace }: PlantedBug): Promise<void> {
  const target = path.join(copy, 'server/src', file);
  const text = await readFile(target, 'utf8');
  if (text.split(find).length !== 2) throw new Error(`"${name}" no longer fits ${file}: look for its place again.`);
  await writeFile(
    target,
    text.replace(find, () => replace),
  );
}
