import { createReadStream } from 'node:fs';
import { codeOf } from '../../core/errors/thrown.ts';

/** More than the longest line that we write, so that a file from elsewhere cannot fill the memory. */
const lineLengthMax = 64 * 1024 * 1024;

/**
 * The lines of a file, each without its end. Split at line feeds only: Node's own reader also splits at U+2028 and U+2029,
 * which JSON does not escape. A last line without a line end is included; a missing file has no lines.
 */
export async function* readLines(path: string): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(path, 'utf8')) {
      const [first = '', ...others] = String(chunk).split('\n');
      rest += first;
      if (rest.length > lineLengthMax) throw new Error(`${path} has a line of more than ${lineLengthMax} characters.`);
      if (others.length === 0) continue;
      const last = others.pop() ?? '';
      yield rest;
      rest = last;
      yield* others;
    }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  if (rest !== '') yield rest;
}
