import { createReadStream } from 'node:fs';
import { codeOf } from '../../core/errors/thrown.ts';

/**
 * The maximum length of a line. It is longer than any line that the vault writes, so that a foreign file cannot fill
 * the memory.
 */
const lineLengthMax = 64 * 1024 * 1024;

/**
 * Reads the lines of a file, each without its line end. Lines are split only at line feeds, because Node's own reader
 * also splits at U+2028 and U+2029, which JSON does not escape. A last line without a line end is included. A missing
 * file has no lines.
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
