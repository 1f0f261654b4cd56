import { spawn } from 'node:child_process';
import type { DumpFile } from './dump-file.ts';

export interface DecoderOptions {
  /** The search path for programs. It is the only part of the vault's environment that pg_restore sees. */
  readonly searchPath: string | undefined;
  /** The maximum unpacked size, because a small archive can unpack to any size. */
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}

/**
 * Runs pg_restore to unpack an archive into a script, which is never executed. The process is connected to no database,
 * knows no password, and finds no settings in its environment or working directory.
 */
export async function* decodeDump(
  dump: DumpFile,
  flags: readonly string[],
  { searchPath, bytesMax, signal }: DecoderOptions,
): AsyncGenerator<Buffer> {
  const child = spawn('pg_restore', [...flags, '--file=-', dump.path], {
    env: searchPath === undefined ? {} : { PATH: searchPath },
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  ended.catch(() => undefined);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(0, 64 * 1024);
  });
  try {
    let unpacked = 0;
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      unpacked += chunk.length;
      if (unpacked > bytesMax) throw new Error('The dump unpacks to more than --unpacked-max allows.');
      yield chunk;
    }
    const code = await ended;
    if (code !== 0) throw new Error(`The dump cannot be restored. pg_restore reported: ${firstErrorIn(said)}`);
  } catch (error) {
    throw explain(error, signal);
  } finally {
    child.kill('SIGKILL');
  }
}

function explain(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new Error('Stopped before the dump was restored.');
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') return error;
  return new Error(
    'pg_restore is not installed. Install the PostgreSQL client programs (Debian: apt-get install postgresql-client) in the version that wrote the dump or a newer one.',
    { cause: error },
  );
}

function firstErrorIn(text: string): string {
  const line = text.split('\n').find((one) => one.includes('error:'));
  return (line ?? 'nothing').trim().slice(0, 300);
}
