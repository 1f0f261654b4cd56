import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Where Debian keeps the vectors of NIST and the RFCs; they are not ours to ship. */
const directory = '/usr/lib/python3/dist-packages/cryptography_vectors';

/** One test of a file: the named values of its group and its own. A name without a value, such as FAIL, has the value ''. */
export type Vector = ReadonlyMap<string, string>;

/**
 * Reads the format of NIST's response files and of their relatives: `[name = value]` holds for all that follows,
 * `name = value` for one vector, and the name that begins a vector comes again with the next one.
 */
export function readVectors(file: string, firstName: string): Vector[] {
  const group = new Map<string, string>();
  const vectors: Map<string, string>[] = [];
  for (const line of readText(file).split('\n')) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const [name = '', value = ''] = text
      .replace(/^\[|\]$/g, '')
      .split('=')
      .map((part) => part.trim());
    if (text.startsWith('[')) group.set(name, value);
    else if (name === firstName) vectors.push(new Map([...group, [name, value]]));
    else vectors.at(-1)?.set(name, value);
  }
  return vectors;
}

export function hexOf(vector: Vector, name: string): Buffer {
  const value = vector.get(name);
  if (value === undefined) throw new Error(`A vector has no ${name}.`);
  return Buffer.from(value, 'hex');
}

function readText(file: string): string {
  try {
    return readFileSync(path.join(directory, file), 'utf8');
  } catch (error) {
    throw new Error(`The vectors ${file} are missing. Install them: apt-get install python3-cryptography-vectors`, {
      cause: error,
    });
  }
}
