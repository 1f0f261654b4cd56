import { spawnSync } from 'node:child_process';

// Bundlers read NODE_ENV and Node.js its options: what is built must not depend on who builds it.
const { COSIGN_PASSWORD: cosignPassword, NODE_ENV: _mode, NODE_OPTIONS: _options, ...others } = process.env;
delete process.env.COSIGN_PASSWORD;
/** For the one program that signs; what builds runs code of others. */
export const signing = { COSIGN_PASSWORD: cosignPassword };

/** Runs a program of the release; what it says is shown if it fails. */
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
