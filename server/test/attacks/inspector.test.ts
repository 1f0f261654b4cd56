import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/** The messages that Node prints when it opens the inspector, or when it tries to and the port is taken. */
const inspectorTraces = /Debugger|inspector/i;

let database: TestDatabase;
let settings: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  settings = {
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_ROOT_KEY: generateRootKey(),
    STRONGROOM_PUBLIC_URL: 'http://localhost',
    STRONGROOM_PORT: '0',
    STRONGROOM_ADMIN_PORT: '0',
    STRONGROOM_WORKER_ADMIN_PORT: '0',
    STRONGROOM_LOG_LEVEL: 'silent',
  };
});
afterEach(() => Program.killAll());
afterAll(() => database.drop());

describe('SIGUSR1', () => {
  it.each([
    ['serve', 1],
    ['serve', 20],
    ['work', 1],
    ['work', 20],
  ] as const)('opens no inspector in %s, sent %i times, and disturbs nothing', async (command, times) => {
    const program = Program.start([command, '--json'], settings);
    const { admin_url: url } = await program.ready<{ admin_url: string }>();
    for (let count = 0; count < times; count += 1) {
      program.signal('SIGUSR1');
      expect((await fetch(`${url}/livez`)).status).toBe(200);
    }
    const { code, stderr } = await program.stop();
    expect({ code, hasInspector: inspectorTraces.test(stderr) }).toEqual({ code: 0, hasInspector: false });
  });
});

describe('the installed program', () => {
  let directory: string;
  let program: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'strongroom-installed-'));
    program = path.join(directory, 'bin/strongroom.js');
    await cp(path.resolve(import.meta.dirname, '../../bin'), path.join(directory, 'bin'), { recursive: true });
    await mkdir(path.join(directory, 'dist'));
    await writeFile(path.join(directory, 'package.json'), '{"type":"module"}');
    // The program prints how it was started, and runs until its input ends.
    await writeFile(
      path.join(directory, 'dist/main.js'),
      `const { pid, execArgv, argv, env } = process;
       process.stdout.write(JSON.stringify({ pid, flags: execArgv, given: argv.slice(2), mark: env.MARK }) + '\\n');
       process.stdin.resume();`,
    );
  });
  afterAll(() => rm(directory, { recursive: true }));

  async function start(flags: readonly string[], given: readonly string[]) {
    const child = spawn(process.execPath, [...flags, program, ...given], { env: { MARK: 'kept' } });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const end = async () => {
      child.stdin.end();
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, hasInspector: inspectorTraces.test(stderr) };
    };
    return { child, end, told: JSON.parse(line) as Record<string, unknown> };
  }

  it.each([
    ['plainly', [], ['serve', '--json']],
    ['with flags of the operator', ['--max-old-space-size=200', '--no-warnings'], ['work']],
    ['with arguments that look like flags', [], ['--inspect', '--', 'a b', '']],
    ['with the flag already there', ['--disable-sigusr1'], ['doctor']],
  ])(
    'started %s, never listens to the signal, and is the same process with the same arguments',
    async (_, flags, given) => {
      const { child, end, told } = await start(flags, given);
      expect(told).toEqual({
        pid: child.pid,
        flags: flags.includes('--disable-sigusr1') ? flags : ['--disable-sigusr1', ...flags],
        given,
        mark: 'kept',
      });
      child.kill('SIGUSR1');
      expect(await end()).toEqual({ code: 0, hasInspector: false });
    },
  );
});
