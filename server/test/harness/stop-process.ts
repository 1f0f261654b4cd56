import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Stops a process and waits until it has ended. A process that has already ended is left alone. */
export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
