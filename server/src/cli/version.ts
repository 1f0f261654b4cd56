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
  return String(membersOf(JSON.parse(text))['version']);
}
