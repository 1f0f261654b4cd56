import { spawn } from 'node:child_process';
import path from 'node:path';

const endWithParent = path.join(import.meta.dirname, 'end-with-parent.mjs');

/**
 * Starts Node.js with this version of it. The child has a process group of its own, so that Ctrl-C in a terminal
 * reaches only this process, which stops its children in order. A channel tells the child if this process dies.
 */
export function startNode(command, { cwd, environment = {} }) {
  return spawn(process.execPath, ['--import', endWithParent, ...command], {
    cwd,
    // oxlint-disable-next-line node/no-process-env -- the settings of the developer are for the children.
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
}
