import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDatabaseConfig, readServerConfig, readWorkerConfig } from '../../src/platform/config/config.ts';
import { findConfigWarnings } from '../../src/platform/config/config-warnings.ts';

/*
 * Checks the systemd units as systemd parses them. Nothing is started, because that needs systemd as the init of the
 * machine.
 */

const run = promisify(execFile);
const source = path.resolve(import.meta.dirname, '../../../deploy/systemd');
const exposureMax = 2;
const roles = ['serve', 'work', 'migrate'] as const;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'strongroom-units-'));
  for (const role of roles) {
    const text = await readFile(path.join(source, nameOf(role)), 'utf8');
    // The program is the only missing part, so it is replaced.
    await writeFile(path.join(folder, nameOf(role)), text.replaceAll('/usr/local/bin/strongroom', process.execPath));
  }
  for (const [name, content] of Object.entries(credentials)) await writeFile(path.join(folder, name), content);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const credentials: Readonly<Record<string, string>> = {
  'database-url': 'postgresql://strongroom:secret@localhost:5432/strongroom\n',
  'database-owner-url': 'postgresql://owner:secret@localhost:5432/strongroom\n',
  'root-key': `${Buffer.alloc(32, 7).toString('base64')}\n`,
};

describe('systemd', () => {
  it('understands every line of the units', async () => {
    expect(await verify(folder, roles.map(nameOf))).toBe('');
  });

  it('would say so if one were misspelt', async () => {
    const broken = await mkdtemp(path.join(folder, 'broken-'));
    const text = await readFile(path.join(folder, nameOf('serve')), 'utf8');
    await writeFile(path.join(broken, nameOf('serve')), text.replace('ProtectSystem=', 'ProtectSytem='));
    expect(await verify(broken, [nameOf('serve')])).toMatch(/Unknown key.*'ProtectSytem'/);
  });

  it.each(roles)(`leaves %s an exposure of at most ${exposureMax}`, async (role) => {
    expect(await exposureOf(path.join(folder, nameOf(role)))).toBeLessThanOrEqual(exposureMax);
  });

  it('would notice a unit that is not hardened', async () => {
    const open = path.join(folder, 'strongroom-open.service');
    const text = await readFile(path.join(folder, nameOf('serve')), 'utf8');
    await writeFile(open, text.replace(/^(DynamicUser|CapabilityBoundingSet|SystemCallFilter|PrivateUsers)=.*$/gm, ''));
    expect(await exposureOf(open)).toBeGreaterThan(exposureMax);
  });
});

describe('the vault', () => {
  it('accepts the settings of the units and of the example', async () => {
    const serve = await environmentOf('serve');
    const work = await environmentOf('work');
    const { listen, database } = readServerConfig(serve);
    expect(listen.adminHost).toBe('127.0.0.1');
    // A server does not have the credentials of the schema owner.
    expect(database.ownerUrl).toBe(database.url);
    expect(readWorkerConfig(work).database.ownerUrl).toContain('owner:');
    expect(readDatabaseConfig(await environmentOf('migrate')).ownerUrl).toContain('owner:');
    expect([serve, work].flatMap(findConfigWarnings)).toEqual([]);
  });

  it('has more time to stop than it takes', async () => {
    const { drain } = readServerConfig(await environmentOf('serve'));
    const drainSeconds = (drain?.delaySeconds ?? 0) + (drain?.timeoutSeconds ?? 0);
    expect(await secondsOf('serve', 'TimeoutStopSec')).toBeGreaterThanOrEqual(drainSeconds + 5);
    expect(await secondsOf('work', 'TimeoutStopSec')).toBeGreaterThanOrEqual(20 + 5);
  });

  it('finds every credential that a setting names', async () => {
    for (const role of roles) {
      const lines = await linesOf(role);
      const loaded = valuesOf(lines, 'LoadCredential').map((value) => value.split(':')[0]);
      const named = valuesOf(lines, 'Environment').map((value) => path.basename(value));
      expect(new Set(named)).toEqual(new Set(loaded));
    }
  });
});

describe('units', () => {
  it('are hardened in the same way', async () => {
    const [first, ...others] = await Promise.all(roles.map(hardeningOf));
    expect(first?.length).toBeGreaterThan(25);
    for (const other of others) expect(other).toEqual(first);
  });

  it('hold no secret, and neither does the example', async () => {
    for (const name of await readdir(source)) {
      expect(await readFile(path.join(source, name), 'utf8'), name).not.toMatch(
        /\b(postgres(ql)?|rediss?|smtps?):\/\//,
      );
    }
  });

  async function hardeningOf(role: (typeof roles)[number]): Promise<string[]> {
    const lines = await linesOf(role);
    return lines.slice(lines.indexOf('DynamicUser=yes')).filter((line) => !/^(\[Install\]|WantedBy=.*)$/.test(line));
  }
});

function nameOf(role: (typeof roles)[number]): string {
  return `strongroom-${role}.service`;
}

/** Returns the problems that systemd reports about the units. */
async function verify(where: string, names: readonly string[]): Promise<string> {
  const outcome = await run('systemd-analyze', [
    'verify',
    '--man=no',
    ...names.map((name) => path.join(where, name)),
  ]).catch((error: unknown) => error as { readonly stdout: string; readonly stderr: string });
  return outcome.stdout + outcome.stderr;
}

async function exposureOf(unit: string): Promise<number> {
  const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--no-pager', unit]);
  const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
  if (exposure === undefined) throw new Error(`No exposure in: ${stdout}`);
  return Number(exposure);
}

async function linesOf(role: (typeof roles)[number]): Promise<string[]> {
  const text = await readFile(path.join(source, nameOf(role)), 'utf8');
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

function valuesOf(lines: readonly string[], key: string): string[] {
  return lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));
}

async function secondsOf(role: (typeof roles)[number], key: string): Promise<number> {
  return Number(valuesOf(await linesOf(role), key)[0]);
}

/** Returns the environment with which systemd starts the program. Credentials are in the folder of the test. */
async function environmentOf(role: (typeof roles)[number]): Promise<Record<string, string>> {
  const lines = await linesOf(role);
  const example =
    valuesOf(lines, 'EnvironmentFile').length > 0 ? await readFile(path.join(source, 'strongroom.env'), 'utf8') : '';
  const assignments = [...example.split('\n'), ...valuesOf(lines, 'Environment')].filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(
    assignments.map((line) => {
      const [name = '', ...value] = line.split('=');
      return [name, value.join('=').replace('%d', folder)];
    }),
  );
}
