import { sha256 } from '../keyring/sha256.ts';

const plainName = 'strongroom';

/**
 * What PostgreSQL shows of the connections of a process: with the nodes that it knows, if there are any, as a short digest of their
 * names. So whoever moves tokens sees that a process does not know where they are going.
 */
export function nameProcess(nodes: readonly { readonly name: string }[] = []): string {
  if (nodes.length === 0) return plainName;
  const names = nodes.map(({ name }) => name).toSorted();
  return `${plainName}/${sha256(Buffer.from(names.join(' '), 'utf8'))
    .toString('hex')
    .slice(0, 8)}`;
}

/** Of every process that serves a vault, whatever it knows. */
export const processNames = { plain: plainName, withNodes: `${plainName}/` };
