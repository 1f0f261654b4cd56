import type { DecoderOptions } from './dump-decoder.ts';
import { type DumpContents, readDumpContents } from './dump-contents.ts';
import { type DumpFile } from './dump-file.ts';
import { loadRows, type LoadTarget } from './dump-rows.ts';

/** The request to this process. Without a target, the process only reads the contents and loads no rows. */
export interface DumpTask {
  readonly dump: DumpFile;
  readonly options: Omit<DecoderOptions, 'signal'>;
  readonly target?: LoadTarget;
}

export type DumpOutcome =
  | { readonly contents: DumpContents }
  /** The names of the tables whose rows the dump contained. */
  | { readonly loaded: readonly string[] }
  | { readonly failure: readonly string[] };

// This is the only process that reads a dump. It is started without an environment, so it has no root key, and with the
// address of a role that can reach nothing but the scratch database.
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
// The parent process has exited.
process.on('disconnect', () => stopping.abort());

process.once('message', (task) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the process that started this one sent it.
  const { dump, options, target } = task as DumpTask;
  const decoding = { ...options, signal: stopping.signal };
  const work: Promise<DumpOutcome> =
    target === undefined
      ? readDumpContents(dump, decoding).then((contents) => ({ contents }))
      : loadRows(dump, target, decoding).then((loaded) => ({ loaded }));
  void work
    .catch((error: unknown): DumpOutcome => ({ failure: messagesOf(error) }))
    .then((outcome) => process.send?.(outcome, () => process.disconnect()));
});

function messagesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  return [error.message, ...(error.cause === undefined ? [] : messagesOf(error.cause))];
}
