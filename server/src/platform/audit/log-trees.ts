import type { LogReader } from './log-reader.ts';

/** The log of a vault and the key that signs it. */
export interface OpenLog {
  readonly reader: LogReader;
  /** Of the other databases that hold a part of it. */
  readonly others?: readonly LogReader[];
  readonly publicKey: Buffer;
}

/** A tree and what reads it. */
export interface ReadableTree {
  readonly reader: LogReader;
  readonly tenantId: string;
}

/** The trees of one tenant or of all, in every database that has a part of the log. */
export async function listTrees(log: OpenLog, tenantId: string | undefined): Promise<ReadableTree[]> {
  const trees: ReadableTree[] = [];
  for await (const tree of walkTrees(log, tenantId)) trees.push(tree);
  return trees;
}

/**
 * The same, home's first. Those of a node are looked for when home's have been dealt with: a tenant may get its first log there
 * meanwhile, and home would have noted one that is not among them.
 */
export async function* walkTrees(log: OpenLog, tenantId: string | undefined): AsyncGenerator<ReadableTree> {
  for (const reader of readersOf(log)) {
    // A tenant that is asked for by name is looked at even where it has no log, so that its absence is seen. On a node it may have
    // none; one that is gone is seen by what home has noted of it.
    const isWanted = tenantId !== undefined && (reader === log.reader || (await reader.hasLog(tenantId)));
    const tenantIds = tenantId === undefined ? await reader.listTenants() : isWanted ? [tenantId] : [];
    for (const id of tenantIds) yield { reader, tenantId: id };
  }
}

export function readersOf({ reader, others = [] }: Pick<OpenLog, 'reader' | 'others'>): readonly LogReader[] {
  return [reader, ...others];
}
