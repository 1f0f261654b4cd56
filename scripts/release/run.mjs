import { spawnSync } from 'node:child_process';

// Bundlers read NODE_ENV, and Node.js reads NODE_OPTIONS. A build must not depend on the environment of the person who
// runs it.
const { COSIGN_PASSWORD: cosignPassword, NODE_ENV: _mode, NODE_OPTIONS: _options, ...others } = process.env;
delete process.env.COSIGN_PASSWORD;
/** The password is passed only to the signing program, because builds run third-party code. */
export const signing = { COSIGN_PASSWORD: cosignPassword };

/** Runs a program of the release. Its output is shown if it fails. */
export function run(program, parts, { cwd, env = {}, input } = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, parts, {
    cwd,
    env: { ...others, ...env },
    input,
    maxBuffer: 256 * 1024 * 1024,
  });
  if (error?.code === 'ENOENT') throw new Error(`${program} is not installed; this step needs it.`);
  if (error !== undefined) throw error;
  if (status === 0) return stdout;
  throw new Error(`${program} ${parts.join(' ')} ended with status ${status}.\n${stdout}${stderr}`);
}
