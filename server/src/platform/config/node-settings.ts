import { homeName } from '../../core/nodes/home-name.ts';
import type { Setting } from './setting.ts';
import { parsePostgresUrl } from './setting-parsers.ts';

/** A database that holds tokens, and its name within the vault. */
export interface NodeSetting {
  readonly name: string;
  readonly url: string;
}

export const nodes: Setting<readonly NodeSetting[]> = {
  variable: 'STRONGROOM_NODES',
  expectation: 'names and addresses of other PostgreSQL databases that hold tokens of this vault, separated by spaces',
  example: 'east=postgresql://strongroom:secret@east.internal:5432/strongroom',
  parse: parseNodes,
  fallback: [],
};

export const nodeOwners: Setting<readonly NodeSetting[]> = {
  variable: 'STRONGROOM_NODE_OWNERS',
  expectation: 'the same names, with the addresses for the roles that own the schemas',
  example: 'east=postgresql://strongroom_owner:secret@east.internal:5432/strongroom',
  parse: parseNodes,
  otherwise: 'those of `STRONGROOM_NODES`',
};

function parseNodes(text: string): readonly NodeSetting[] | undefined {
  const nodes = text
    .trim()
    .split(/\s+/)
    .flatMap((part) => {
      const [, name = '', address = ''] = /^([a-z][a-z0-9-]{0,30})=(.+)$/.exec(part) ?? [];
      const url = parsePostgresUrl(address);
      return url === undefined || name === homeName ? [undefined] : [{ name, url }];
    });
  const known = nodes.filter((node) => node !== undefined);
  const names = new Set(known.map(({ name }) => name));
  return known.length === nodes.length && names.size === known.length ? known : undefined;
}
