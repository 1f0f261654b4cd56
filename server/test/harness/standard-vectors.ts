import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The directory in which Debian installs the vectors of NIST and the RFCs. This repository may not ship them. */
const directory = '/usr/lib/python3/dist-packages/cryptography_vectors';

/** One test of a file: the named values of its group and its own. A name without a value, such as FAIL, maps to ''. */
export type Vector = ReadonlyMap<string, string>;

/**
 * Reads NIST's response file format and similar ones. `[name = value]` applies to all following vectors, and `name =
 * value` to one vector. A new vector begins when `firstName` occurs again.
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
