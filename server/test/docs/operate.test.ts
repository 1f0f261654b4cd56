import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/command-line.ts';
import { problemCatalog } from '../../src/http/problem-catalog.ts';
import { findConfigWarnings } from '../../src/platform/config/config-warnings.ts';

// What the pages for operators quote and name is in the program: messages, codes, settings, commands. What they run, CI runs.

const repository = path.resolve(import.meta.dirname, '../../..');
const folder = path.join(repository, 'docs/operate');
const pages = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }));
const troubleshooting = pages.find(({ name }) => name === 'troubleshooting.md')?.text ?? '';

/** Code in the first column of a table, perhaps behind a status. */
const quoted = [...troubleshooting.matchAll(/^\| (?:\d{3} )?`([^`]+)`(?:, `([^`]+)`)? +\|/gm)].flatMap(([, ...texts]) =>
  texts.filter((text) => text !== undefined),
);
const isCode = (text: string) => /^[a-z]+(-[a-z]+)+$/.test(text);

describe('the page about troubleshooting', () => {
  const source = readSource();

  it('quotes many messages', () => {
    expect(quoted.length).toBeGreaterThan(60);
  });

  it.each(quoted.filter((text) => !isCode(text)))('quotes what the program says: %s', (message) => {
    for (const part of message.split('…')) expect(source).toContain(part.trim());
  });

  it.each(quoted.filter(isCode))('names a code that there is: %s', (code) => {
    expect(Object.keys(problemCatalog)).toContain(code);
  });
});

describe.each(pages)('$name', ({ text }) => {
  it('names settings that there are', () => {
    // Some lines shorten a name after its first part: `STRONGROOM_PKCS11_…`.
    const names = text.match(/\bSTRONGROOM_[A-Z0-9]+(_[A-Z0-9]+)*\b(?!_?…|[*])/g) ?? [];
    const environment = Object.fromEntries(names.map((name) => [name, '-']));
    const unknown = findConfigWarnings(environment).filter(({ warning }) => warning.includes('is not a setting'));
    expect(unknown.map(({ variable }) => variable)).toEqual([]);
  });

  it('names commands and options that there are', () => {
    const unknown = [...text.matchAll(/(?<![/\w-])strongroom ([a-z][^`\n|&>)]*)/g)]
      .map(([, words = '']) => words.trim())
      .filter((words) => !isKnown(createProgram(false), words.split(/\s+/)));
    expect(unknown).toEqual([]);
  });
});

/** Follows the words down to a command, and then looks for its options. */
function isKnown(program: Command, words: readonly string[]): boolean {
  const [first, ...rest] = words;
  const inner = program.commands.find((command) => command.name() === first);
  if (inner !== undefined) return isKnown(inner, rest);
  const options = words.filter((word) => word.startsWith('--')).map((word) => word.replace(/[;:,."]*$/, ''));
  const isWhole = program.commands.length === 0 || (program.parent !== null && first === undefined);
  return isWhole && options.every((option) => program.options.some(({ long }) => long === option));
}

/** All of the program as one text, with an ellipsis for every value in a message. */
function readSource(): string {
  const names = readdirSync(path.join(repository, 'server/src'), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  return ['../bin/strongroom.js', ...files]
    .map((name) => readFileSync(path.join(repository, 'server/src', name), 'utf8'))
    .join('\n')
    .replaceAll(/\$\{[^}]*\}/g, '…')
    .replaceAll(/['`] \+\s+['`]/g, '');
}
