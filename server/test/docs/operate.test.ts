import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { problemCatalog } from '../../src/http/problems/problem-catalog.ts';
import { findConfigWarnings } from '../../src/platform/config/config-warnings.ts';
import { rateLimitTable } from '../../src/platform/rate-limit/rate-limit-table.ts';
import { repository } from './documentation.ts';
import { isKnownCommand } from './known-command.ts';

// Everything that the operator pages quote and name exists in the program: messages, codes, settings and commands. The
// commands on these pages are run in CI.

const folder = path.join(repository, 'docs/operate');
const pages = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }));
const troubleshooting = pages.find(({ name }) => name === 'troubleshooting.md')?.text ?? '';

/** The code in the first column of a table, which may follow a status. */
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

describe('the list of what comes before real data', () => {
  const install = pages.find(({ name }) => name === 'install.md')?.text ?? '';
  const [, list = ''] = /Before you store real data:\n\n((?:\d\. [^]*?\n)+)\n/.exec(install) ?? [];

  it('names the limit that stops a single backend, and the setting that raises it', () => {
    const { limit, windowMs } = rateLimitTable['token-write'];
    expect(list).toContain('`STRONGROOM_OWN_NETWORKS`');
    expect(list.replaceAll(/\s+/g, ' ')).toContain(`create ${limit} tokens in ${windowMs / 1_000} seconds`);
  });

  it('leads to the parameter that names the CA of PostgreSQL', () => {
    expect(list).toContain('(#tls-to-postgresql)');
    const [, section = ''] = install.split('\n## TLS to PostgreSQL\n');
    expect(section).toContain('| `sslrootcert=<file>`');
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
    const named = [...text.matchAll(/(?<![/\w-])strongroom ([a-z][^`\n|&>)]*)/g)].map(([, words = '']) => words);
    expect(named.filter((words) => !isKnownCommand(words))).toEqual([]);
  });
});

/** Returns the whole program as one text, with an ellipsis for every value in a message. */
function readSource(): string {
  const names = readdirSync(path.join(repository, 'server/src'), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  return ['../bin/strongroom.js', ...files]
    .map((name) => readFileSync(path.join(repository, 'server/src', name), 'utf8'))
    .join('\n')
    .replaceAll(/\$\{[^}]*\}/g, '…')
    .replaceAll(/['`] \+\s+['`]/g, '');
}
