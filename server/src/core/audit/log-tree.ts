/** A tenant has a tree in each database that its records lie in. */
export interface LogTree {
  readonly tenantId: string;
  /** The name of the database; undefined for the home database. */
  readonly node?: string | undefined;
}

export function nameOfTree({ tenantId, node }: LogTree): string {
  return node === undefined ? tenantId : `${tenantId}/${node}`;
}

/** What a checkpoint, a finding or a verdict says in JSON about where its tree lies: nothing for the home database. */
export function toNodeMember({ node }: Pick<LogTree, 'node'>): { readonly node?: string } {
  return node === undefined ? {} : { node };
}
