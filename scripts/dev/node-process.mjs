import { spawn } from 'node:child_process';
import { once } from 'node:events';

const endWithParent = import.meta.resolve('./end-with-parent.mjs');

/**
 * Starts another Node.js process of the same version. It has its own process group, so that Ctrl-C in a terminal
 * reaches only this process, which stops its children in order. The channel lets the child detect that this process has
 * died. `environment` contains defaults for variables that are not set.
 */
export function startNode(command, { cwd, environment = {} }) {
  return spawn(process.execPath, ['--import', endWithParent, ...command], {
    cwd,
    // oxlint-disable-next-line node/no-process-env -- the developer's settings are meant for the children.
    env: { ...environment, ...process.env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
}

/** Runs Node.js until it exits, and returns its exit code and output. */
export async function runNode(command, options) {
  const child = startNode(command, options);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  return { code, output };
}
