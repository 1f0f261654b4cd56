import { spawn } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';

/* The long form of the fuzz tests: `npm run fuzz -- --seed 7 --count 100000`. */
const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '100000' } },
});
const server = path.resolve(import.meta.dirname, '../..');
const vitest = path.resolve(server, '../node_modules/.bin/vitest');
const child = spawn(process.execPath, [vitest, 'run', 'test/fuzz'], {
  cwd: server,
  stdio: 'inherit',
  env: { ...process.env, FUZZ_SEED: values.seed, FUZZ_COUNT: values.count },
});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
