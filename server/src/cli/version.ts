import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { membersOf } from '../core/objects/members-of.ts';

/** Adds `--version` to a command and all its subcommands, because people often name a command first. */
export function addVersion(command: Command, version = readVersion()): void {
  command.version(version, '--version', 'print the version');
  for (const inner of command.commands) addVersion(inner, version);
}

/** Reads the version from `package.json`, which is above both `src/` and `dist/`, so the same path works for both. */
function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const version = String(membersOf(JSON.parse(text))['version']);
  const revision = version.endsWith('-dev') ? findRevision(new URL('../../../.git/', import.meta.url)) : undefined;
  return revision === undefined ? version : `${version}+${revision.slice(0, 7)}`;
}

/** Returns the commit of a checkout, or undefined for an installed package and for a worktree. */
function findRevision(folder: URL): string | undefined {
  const read = (name: string) => {
    try {
      return readFileSync(new URL(name, folder), 'utf8').trim();
    } catch {
      return '';
    }
  };
  const head = read('HEAD');
  if (!head.startsWith('ref: ')) return commitIn(head);
  const name = head.slice('ref: '.length);
  const packed = read('packed-refs')
    .split('\n')
    .find((line) => line.endsWith(` ${name}`));
  return commitIn(read(name)) ?? commitIn(packed ?? '');
}

function commitIn(text: string): string | undefined {
  return /^[0-9a-f]{40}/.exec(text)?.[0];
}
