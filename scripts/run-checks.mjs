// Runs every `check:…` script of package.json, two at a time. The output of each script is shown in one piece. Fails if
// any of them fails.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const waiting = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const failed = [];

async function runNext() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const startedAt = performance.now();
    const { code, output } = await run(name);
    if (code !== 0) failed.push(name);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    process.stdout.write(`${name} ${code === 0 ? 'passed' : 'FAILED'} in ${seconds} s\n${output}`);
  }
}

// `npm run` has already put the workspace's programs on the path. Running a check directly avoids the startup time of
// another npm.
function run(name) {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', scripts[name]], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

await Promise.all([runNext(), runNext()]);
if (failed.length > 0) {
  process.stdout.write(`Failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
