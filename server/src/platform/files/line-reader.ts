import { createReadStream } from 'node:fs';
import { codeOf } from '../../core/errors/thrown.ts';

/**
 * The lines of a file, each without its end. Split at line feeds only: Node's own reader also splits at U+2028 and U+2029,
 * which JSON does not escape. A last line without a line end is included; a missing file has no lines.
 */
export async function* readLines(path: string): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(path, 'utf8')) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  if (rest !== '') yield rest;
}
