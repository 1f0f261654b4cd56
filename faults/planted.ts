import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type PlantedBug, plantedBugs } from './planted/planted-bugs.ts';
import { play } from './play.ts';
import { makeScratchFolder } from './scratch-folder.ts';

const repository = path.resolve(import.meta.dirname, '..');

/*
 * npm run faults:planted -- [--only PART OF A NAME] [--seed 1]   checks that the suite finds each planted bug
 * node faults/planted.ts --fit                                   checks that each bug still fits the source
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    fit: { type: 'boolean', default: false },
  },
});
const chosen = plantedBugs.filter(({ name }) => name.includes(values.only ?? ''));
if (values.fit) for (const bug of chosen) await plant(repository, bug);
else await findAll();

async function findAll(): Promise<void> {
  const missed: string[] = [];
  for (const bug of chosen) {
    const startedAt = performance.now();
    const isFound = await findsPlanted(bug);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    process.stdout.write(`${isFound ? 'found ' : 'MISSED'} after ${seconds} s: ${bug.name}\n`);
    if (!isFound) missed.push(bug.name);
  }
  process.stdout.write(`${chosen.length - missed.length} of ${chosen.length} planted bugs found\n`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}

/** Runs the suite on a copy of the source that contains the bug. */
async function findsPlanted(bug: PlantedBug): Promise<boolean> {
  const copy = await makeScratchFolder('planted');
  try {
    for (const part of ['src', 'migrations', 'assets', 'package.json']) {
      await cp(path.join(repository, 'server', part), path.join(copy, 'server', part), { recursive: true });
    }
    await symlink(path.join(repository, 'node_modules'), path.join(copy, 'node_modules'));
    await symlink(path.join(repository, 'server/node_modules'), path.join(copy, 'server/node_modules'));
    const planted = await plant(copy, bug);
    await writeFile(planted.file, planted.text);
    const lines: string[] = [];
    const { findings } = await play(
      {
        folder: path.join(copy, 'round'),
        main: path.join(copy, 'server/src/main.ts'),
        seed: Number(values.seed),
        rate: 150,
        hasWebhooks: true,
        // A bug that the load alone reveals needs more time instead of faults.
        calmSeconds: bug.faults.length === 0 ? 20 : 3,
        // A bug can leave work pending forever.
        settledSecondsMax: 60,
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

/** Returns the file with the bug in it. Throws if the text to replace no longer exists. */
async function plant(root: string, { name, file, find, replace }: PlantedBug): Promise<{ file: string; text: string }> {
  const target = path.join(root, 'server/src', file);
  const text = await readFile(target, 'utf8');
  if (text.split(find).length !== 2) throw new Error(`"${name}" no longer fits ${file}: look for its place again.`);
  return { file: target, text: text.replace(find, () => replace) };
}
