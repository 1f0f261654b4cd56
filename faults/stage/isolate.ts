import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The last argument of the inner program. */
const marker = '--isolated';

/**
 * Runs this program again in its own namespaces and exits with its status. The network, mounts and processes of the
 * machine are not touched, and no process, mount or network of the stage outlives the run. Returns only in the inner
 * program. Requires root.
 */
export async function isolate(): Promise<void> {
  if (process.argv.at(-1) === marker) return;
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  // The first process of a namespace inherits orphans, such as a PostgreSQL that Patroni started. The shell reaps them.
  const shell = [
    'bash',
    '-c',
    '"$0" "$@"; exit $?',
    process.execPath,
    ...process.execArgv,
    ...process.argv.slice(1),
    marker,
  ];
  const child = spawn('unshare', [...namespaces, ...shell], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill('SIGTERM'));
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exit(code ?? 1);
}
