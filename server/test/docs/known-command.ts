import type { Command } from 'commander';
import { createProgram } from '../../src/cli/command-line.ts';

/** Returns true if the program has this command with these options. The words are those after `strongroom`. */
export function isKnownCommand(words: string): boolean {
  return isKnown(createProgram(false), words.trim().split(/\s+/));
}

/** Follows the words down to a command, then checks its options. */
function isKnown(program: Command, words: readonly string[]): boolean {
  const [first, ...rest] = words;
  const inner = program.commands.find((command) => command.name() === first);
  if (inner !== undefined) return isKnown(inner, rest);
  const options = words.filter((word) => word.startsWith('--')).map((word) => word.replace(/[;:,."]*$/, ''));
  const isWhole = program.commands.length === 0 || (program.parent !== null && first === undefined);
  return isWhole && options.every((option) => program.options.some(({ long }) => long === option));
}
