import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { afterEach, describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/command-line.ts';
import { Program } from '../harness/program.ts';

afterEach(() => Program.killAll());

describe('strongroom --help', () => {
  it('shows the way from the first minute to production', async () => {
    const { code, stdout } = await Program.run(['--help']);
    expect(code).toBe(0);
    const steps = ['dev', 'migrate', 'doctor', 'bootstrap --name Acme', 'serve', 'work'];
    const places = steps.map((step) => stdout.indexOf(`\n  strongroom ${step}`));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it.each([
    ['dev', ['--port', '--data', '--use-database', '--quiet', '--json', 'reveal', 'Not for production']],
    ['serve', ['--json', 'STRONGROOM_DATABASE_URL', 'STRONGROOM_ROOT_KEY', 'STRONGROOM_PUBLIC_URL', '/readyz']],
    ['work', ['--json', 'STRONGROOM_DATABASE_URL', 'STRONGROOM_ROOT_KEY']],
    ['migrate', ['--json', 'STRONGROOM_DATABASE_OWNER_URL', 'CREATEROLE']],
    ['bootstrap', ['--name', '--type', '--owner-email', '--json', 'POST /applications']],
    ['tenants', ['list', 'show']],
    ['applications', ['list', 'create', 'key', 'audit log']],
    ['members', ['invite', 'invitation-link', 'sign-in-link']],
    ['doctor', ['--json', 'Changes nothing', 'Exits with status 1']],
  ])('of %s exits with 0 and teaches', async (command, words) => {
    const { code, stdout, stderr } = await Program.run([command, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: strongroom ${command}`);
    for (const word of words) expect(stdout).toContain(word);
  });
});

describe('strongroom --version', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  /** A checkout adds its commit to the version of main. */
  const shown = new RegExp(
    `^${version.replaceAll('.', '\\.')}${version.endsWith('-dev') ? '(\\+[0-9a-f]{7})?' : ''}\\n?$`,
  );

  it.each([[[]], [['serve']], [['applications', 'key']]])(
    'of %j prints the version and does nothing else',
    async (command) => {
      const { code, stdout, stderr } = await Program.run([...command, '--version'], { STRONGROOM_PORT: 'nonsense' });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(shown);
    },
  );

  it('is an option of every command', () => {
    const walk = (command: Command, path: string): Command[] => {
      expect([path, command.version()]).toEqual([path, expect.stringMatching(shown)]);
      expect([path, command.options.some(({ long }) => long === '--version')]).toEqual([path, true]);
      return command.commands.flatMap((inner) => walk(inner, `${path} ${inner.name()}`)).concat(command);
    };
    const doing = walk(createProgram(false), 'strongroom').filter(({ commands }) => commands.length === 0);
    expect(doing.length).toBeGreaterThan(25);
    for (const command of doing) expect(command.description()).toMatch(/^[A-Z].*\.$/);
  });
});

describe('a command line that is wrong', () => {
  it.each([
    [['nonsense'], `unknown command 'nonsense'`],
    [['dev', '--port', '65536'], 'A port must be a number from 0 to 65535.'],
    [['bootstrap', '--name', ''], 'A name must have 1 to 200 characters.'],
  ])('%j is refused and says why', async (command, reason) => {
    const { code, stdout, stderr } = await Program.run(command);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(reason);
  });
});
