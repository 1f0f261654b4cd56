import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../core/errors/thrown.ts';

/** The time to wait for the data to be released. If the data is still in use after that, PostgreSQL reports it. */
const releaseTimeoutSeconds = 15;

/** Waits until the server accepts connections. Otherwise throws an error that contains the server's `complaint`. */
export async function untilReady(
  target: { readonly server: ChildProcess; readonly cluster: string; readonly timeoutSeconds: number },
  complaint: () => string,
): Promise<void> {
  const { server, cluster, timeoutSeconds } = target;
  const deadline = Date.now() + timeoutSeconds * 1_000;
  while (Date.now() < deadline) {
    if (server.exitCode !== null || server.signalCode !== null)
      throw new Error(`PostgreSQL stopped while starting: ${complaint().trim()}`);
    if (await isReady(cluster, server.pid)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  server.kill('SIGKILL');
  throw new Error(`PostgreSQL was not ready within ${timeoutSeconds} seconds: ${complaint().trim()}`);
}

/**
 * Waits until the data is no longer in use. The previous process may have been killed while its PostgreSQL is still
 * stopping.
 */
export async function untilReleased(cluster: string): Promise<void> {
  const deadline = Date.now() + releaseTimeoutSeconds * 1_000;
  while (Date.now() < deadline) {
    const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number.parseInt(text, 10);
    if (!(pid > 0) || !isAlive(pid)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return codeOf(error) === 'EPERM';
  }
}

/**
 * Returns true if the server is ready. PostgreSQL keeps its process id and state in `postmaster.pid`, and a crashed
 * server leaves its file behind.
 */
async function isReady(cluster: string, pid: number | undefined): Promise<boolean> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  return lines[0]?.trim() === String(pid) && lines[7]?.trim() === 'ready';
}
