import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/*
 * A vault loads the packages that its configuration needs, and no other. Whatever a process has loaded runs beside
 * unwrapped keys, and costs every start. The packages for Redis, mail, an OpenID provider and data encrypted by clients
 * are loaded when they are needed.
 */

/** What servers and workers load. */
const both = words(`
  @fastify/ajv-compiler @fastify/error @fastify/fast-json-stringify-compiler @fastify/forwarded
  @fastify/merge-json-schemas @fastify/proxy-addr @opentelemetry/api @pinojs/redact abstract-logging ajv ajv-formats
  atomic-sleep avvio bintrees commander dequal fast-decode-uri-component fast-deep-equal fast-json-stringify
  fast-querystring fast-uri fastify fastq find-my-way ipaddr.js json-schema-ref-resolver json-schema-traverse
  lru-cache on-exit-leak-free pg pg-connection-string pg-int8 pg-pool pg-protocol pg-types pino
  pino-std-serializers postgres-array postgres-bytea postgres-date postgres-interval process-warning prom-client
  quick-format-unescaped re2js ret reusify rfdc safe-regex2 safe-stable-stringify saxes secure-json-parse semver
  sonic-boom tdigest thread-stream toad-cache typebox uqr xmlchars xtend
`);
/** What servers load in addition, for passkeys. */
const onlyServed = words(`
  @hexagon/base64 @levischuck/tiny-cbor @peculiar/asn1-android @peculiar/asn1-asym-key
  @peculiar/asn1-cms @peculiar/asn1-csr @peculiar/asn1-ecc @peculiar/asn1-pfx @peculiar/asn1-pkcs8
  @peculiar/asn1-pkcs9 @peculiar/asn1-rsa @peculiar/asn1-schema @peculiar/asn1-x509 @peculiar/asn1-x509-attr
  @peculiar/asn1-x509-post-quantum @peculiar/utils @peculiar/x509 @simplewebauthn/server asn1js pvtsutils pvutils
  reflect-metadata tslib tsyringe
`);
/** What workers load in addition, for the queue of jobs. */
const onlyWorked = words(`
  cron-parser luxon non-error pg-boss rrule-temporal serialize-error
`);

/** The source, because a bundle has no packages. */
const main = path.resolve(import.meta.dirname, '../../src/main.ts');
let database: TestDatabase;
let settings: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  settings = {
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_ROOT_KEY: generateRootKey(),
    STRONGROOM_PUBLIC_URL: 'https://vault.example.com',
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_PORT: '0',
    STRONGROOM_ADMIN_PORT: '0',
    STRONGROOM_WORKER_ADMIN_PORT: '0',
  };
});
afterAll(async () => {
  await Program.killAll();
  await database.drop();
});

describe('a vault with a root key in a file', () => {
  it('loads these packages in a server', async () => {
    expect(await packagesLoadedBy('serve')).toEqual([...both, ...onlyServed].sort());
  });

  it('loads these packages in a worker', async () => {
    expect(await packagesLoadedBy('work')).toEqual([...both, ...onlyWorked].sort());
  });
});

/** Starts a process, waits until it is ready, and returns the packages of the scripts that V8 has compiled in it. */
async function packagesLoadedBy(command: 'serve' | 'work'): Promise<string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-loaded-'));
  const program = Program.start([command], { ...settings, NODE_V8_COVERAGE: folder }, main);
  await program.output('\n');
  await program.stop();
  const packages = new Set<string>();
  for (const name of await readdir(folder)) {
    const text = await readFile(path.join(folder, name), 'utf8');
    for (const [, found = ''] of text.matchAll(/"url":"file:[^"]*\/node_modules\/((?:@[^/"]+\/)?[^/"]+)\//g)) {
      packages.add(found);
    }
  }
  await rm(folder, { recursive: true });
  return [...packages].sort();
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
