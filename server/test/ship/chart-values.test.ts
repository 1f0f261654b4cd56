import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDatabaseConfig, readServerConfig, readWorkerConfig } from '../../src/platform/config/config.ts';
import { findConfigWarnings } from '../../src/platform/config/config-warnings.ts';
import {
  ChartRenderer,
  chart,
  environmentOf,
  podsOf,
  type Rendered,
  type Role,
  secretFilesOf,
  valueSets,
} from './rendered-chart.ts';

/* Checks which values the chart accepts, and whether the vault starts with the resulting settings. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly allOf?: readonly Schema[];
  readonly definitions?: Readonly<Record<string, Schema>>;
}

let renderer: ChartRenderer;
let defaults: Rendered;
let schema: Schema;
let secrets: string;
beforeAll(async () => {
  renderer = await ChartRenderer.build();
  defaults = await renderer.render();
  schema = JSON.parse(await readFile(path.join(chart, 'values.schema.json'), 'utf8')) as Schema;
  secrets = await mkdtemp(path.join(tmpdir(), 'strongroom-chart-secrets-'));
  for (const [name, content] of Object.entries(secretContents)) await writeFile(path.join(secrets, name), content);
});
afterAll(async () => {
  await renderer[Symbol.asyncDispose]();
  await rm(secrets, { recursive: true, force: true });
});

const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
/** The contents of the secrets, by the name of the file that each is mounted as. */
const secretContents: Readonly<Record<string, string>> = {
  'database-url': 'postgresql://strongroom:secret@db.internal:5432/strongroom',
  'database-ca': certificate,
  'database-owner-url': 'postgresql://owner:secret@db.internal:5432/strongroom',
  'root-key': Buffer.alloc(32, 7).toString('base64'),
  'pkcs11-pin': '1234',
  'transit-token': 'hvs.token',
  'transit-ca': certificate,
  'redis-url': 'rediss://:secret@redis.internal:6379',
  'smtp-url': 'smtps://strongroom:secret@mail.example.com:465',
  'openid-client-secret': 'secret',
  'proxy-ca': certificate,
  'proxy-client-certificate-0': `${certificate}-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n`,
  'otlp-headers': 'authorization=Bearer%20secret',
};

/** Returns the environment of a pod, with the files of this test in place of those that Kubernetes mounts. */
function startedWith(rendered: Rendered, role: Role): Record<string, string> {
  const environment = environmentOf(rendered, role);
  for (const [name, value] of Object.entries(environment)) {
    environment[name] = value.replaceAll('/run/secrets/strongroom', secrets);
  }
  // EKS sets this variable for a pod that has a role.
  if ('STRONGROOM_AWS_KMS_KEY' in environment) {
    environment['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = 'http://169.254.170.23/v1/credentials';
  }
  return environment;
}

describe('the vault', () => {
  it.each(['defaults', ...valueSets] as const)('accepts every setting of %s', async (set) => {
    const rendered = set === 'defaults' ? defaults : await renderer.renderSet(set);
    expect(() => readServerConfig(startedWith(rendered, 'serve'))).not.toThrow();
    expect(() => readWorkerConfig(startedWith(rendered, 'work'))).not.toThrow();
    expect(() => readDatabaseConfig(startedWith(rendered, 'migrate'))).not.toThrow();
    for (const role of ['serve', 'work', 'migrate'] as const) {
      const unknown = findConfigWarnings(startedWith(rendered, role)).filter(({ warning }) =>
        warning.includes('is not a setting'),
      );
      expect(unknown).toEqual([]);
    }
  });

  it('migrates as the owner of the schema, and serves as somebody else', async () => {
    const rendered = await renderer.renderSet('ha');
    expect(readDatabaseConfig(startedWith(rendered, 'migrate')).ownerUrl).toContain('strongroom:secret');
    expect(readWorkerConfig(startedWith(rendered, 'work')).database.ownerUrl).toContain('owner:secret');
    expect(readServerConfig(startedWith(rendered, 'serve')).database.ownerUrl).not.toContain('owner:secret');
  });

  it('gets settings that have no value of their own, and not one twice', async () => {
    const rendered = await renderer.render({ settings: { STRONGROOM_ALERT_MISSES: '7' } });
    expect(readWorkerConfig(startedWith(rendered, 'work')).audit.alerts.misses).toBe(7);
    await expect(renderer.render({ settings: { STRONGROOM_LOG_LEVEL: 'warn' } })).rejects.toThrow(
      'settings.STRONGROOM_LOG_LEVEL is set by another value of the chart',
    );
  });
});

describe('a cell', () => {
  it('has its name in servers and workers', async () => {
    const rendered = await renderer.render({ cell: 'eu1' });
    expect(readServerConfig(startedWith(rendered, 'serve')).cell).toBe('eu1');
    expect(readWorkerConfig(startedWith(rendered, 'work')).cell).toBe('eu1');
  });
});

describe('what PostgreSQL needs', () => {
  it('is a CA in every pod, and further volumes for each of them', async () => {
    const own = { volumes: [{ name: 'own', emptyDir: {} }], volumeMounts: [{ name: 'own', mountPath: '/own' }] };
    const rendered = await renderer.render({
      database: { ca: { existingConfigMap: 'database-ca' } },
      serve: own,
      work: own,
      migrate: own,
    });
    for (const role of ['serve', 'work', 'migrate'] as const) {
      expect(secretFilesOf(rendered, role).get('database-ca')).toBe('database-ca/ca.crt');
      const { volumes, containers } = podsOf(rendered, role).spec;
      expect(volumes?.map(({ name }) => name)).toContain('own');
      expect(containers[0]?.volumeMounts?.map(({ mountPath }) => mountPath)).toContain('/own');
    }
  });
});

describe('values.schema.json', () => {
  const check = (values: unknown) =>
    new Ajv({ strict: true, strictRequired: false, strictTypes: false }).validate(schema, values);

  it('accepts the defaults and every set', async () => {
    expect(check(defaults.values)).toBe(true);
    for (const set of valueSets) expect(check((await renderer.renderSet(set)).values), set).toBe(true);
  });

  it.each([
    ['a name that is misspelt', { serve: { replica: 3 } }],
    ['a name that is misspelt further down', { serve: { autoscaling: { maxReplica: 3 } } }],
    ['no replica', { serve: { replicas: 0 } }],
    ['a tag with lines of its own', { image: { tag: '1.0\n      command: [node]' } }],
    ['a repository with lines of its own', { image: { repository: 'a\n      command: [node]' } }],
    ['root as the user', { user: 0 }],
    ['a secret in the place of its reference', { database: { url: 'postgresql://strongroom:secret@db/strongroom' } }],
    ['a secret beside its reference', { database: { url: { existingSecret: 'a', key: 'b', value: 'secret' } } }],
    ['a secret among the settings', { settings: { STRONGROOM_ROOT_KEY: 'secret' } }],
    ['a secret among the headers of traces', { settings: { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secret' } }],
    ['a setting of something else', { settings: { NODE_OPTIONS: '--inspect' } }],
    ['credentials in an address', { rootKey: { transit: { url: 'https://user:secret@openbao:8200', key: 'k' } } }],
    ['no database', { database: { url: { existingSecret: '' } } }],
    ['no root key', { rootKey: { file: { existingSecret: '' } } }],
    ['an HSM without a token', { rootKey: { pkcs11: { module: '/opt/hsm/lib.so', key: 'root' } } }],
    ['a key of AWS without a region', { rootKey: { awsKms: { key: 'alias/strongroom' } } }],
    ['mail without a sender', { smtp: { url: { existingSecret: 'strongroom' } } }],
    ['single sign-on without a secret', { openid: { issuer: 'https://login.example.com', clientId: 'strongroom' } }],
    ['card fields without encryption', { elements: { url: 'http://elements.example.com' } }],
    [
      'headers for a collector without encryption',
      { traces: { endpoint: 'http://a', headers: { existingSecret: 'b' } } },
    ],
    ['an ingress without a host', { ingress: { enabled: true } }],
    ['a budget that nothing may leave', { podDisruptionBudget: { maxUnavailable: 0 } }],
    ['a peer that is misspelt', { networkPolicy: { admin: { from: [{ namespacesSelector: {} }] } } }],
    ['a rule for every port', { networkPolicy: { postgresql: { ports: [] } } }],
    ['a level of logs that does not exist', { logLevel: 'debug' }],
    ['a cell with the name of a kind of key', { cell: 'pvt' }],
    ['a cell with a name that no key can have', { cell: 'eu-1' }],
    ['a drain that is too long', { serve: { drain: { delaySeconds: 301 } } }],
  ])('refuses %s', (_what, values) => {
    expect(check(merged(defaults.values, values))).toBe(false);
  });

  it('refuses as a setting every one that the chart reads from a secret', async () => {
    const read = new Set<string>();
    for (const set of valueSets) {
      const rendered = await renderer.renderSet(set);
      for (const role of ['serve', 'work'] as const)
        Object.keys(environmentOf(rendered, role)).forEach((it) => read.add(it));
    }
    const files = [...read].filter((name) => name.endsWith('_FILE') && !name.endsWith('_CA_FILE'));
    expect(files.length).toBeGreaterThan(8);
    for (const name of files) {
      expect(check(merged(defaults.values, { settings: { [name.replace(/_FILE$/, '')]: 'value' } })), name).toBe(false);
    }
  });

  it('knows every value that has a default, and no other', () => {
    // The cluster determines which resources exist.
    const known = namesIn(schema).map((name) => name.replace(/\.resources\..*/, '.resources'));
    const given = leavesOf(defaults.values).map((name) => name.replace(/\.resources\..*/, '.resources'));
    expect(new Set(known.filter((name) => name !== 'global'))).toEqual(new Set(given));
  });

  it('leaves no object open that has members of its own', () => {
    const open: string[] = [];
    walk(schema, '', (part, where) => {
      if (part.properties !== undefined && part.type === 'object' && part.additionalProperties !== false)
        open.push(where);
    });
    // Environment variables of the HSM use the format of Kubernetes.
    expect(open).toEqual(['/properties/rootKey/properties/pkcs11/properties/env/items']);
  });

  /** Returns the paths of all members, including those of definitions. Lists and free maps are leaves. */
  function namesIn(part: Schema, prefix = ''): string[] {
    const { properties = {} } = resolved(part);
    const names = Object.entries(properties).flatMap(([name, below]) => namesIn(below, `${prefix}${name}.`));
    return names.length > 0 ? names.sort() : [prefix.slice(0, -1)];
  }

  function resolved(part: Schema): Schema {
    const [first] = part.allOf ?? [];
    const reference = part.$ref ?? (part.properties === undefined ? first?.$ref : undefined);
    return reference === undefined ? part : (schema.definitions?.[path.basename(reference)] ?? {});
  }
});

describe('the README of the chart', () => {
  it('describes every value', async () => {
    const text = await readFile(path.join(chart, 'README.md'), 'utf8');
    const described = [...text.matchAll(/^\| `([\w.]+)`/gm)].map(([, name = '']) => name);
    const missing = leavesOf(defaults.values).filter(
      (leaf) => !described.some((name) => leaf === name || leaf.startsWith(`${name}.`)),
    );
    expect(missing).toEqual([]);
    const leaves = leavesOf(defaults.values);
    expect(described.filter((name) => !leaves.some((leaf) => leaf === name || leaf.startsWith(`${name}.`)))).toEqual(
      [],
    );
  });
});

function leavesOf(value: unknown, prefix = ''): string[] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = isObject ? Object.entries(value) : [];
  if (entries.length === 0) return [prefix.slice(0, -1)];
  return entries.flatMap(([name, below]) => leavesOf(below, `${prefix}${name}.`)).sort();
}

function merged(base: unknown, over: unknown): unknown {
  const areObjects = [base, over].every((it) => typeof it === 'object' && it !== null && !Array.isArray(it));
  if (!areObjects) return over;
  const result: Record<string, unknown> = { ...(base as object) };
  for (const [name, value] of Object.entries(over as object)) result[name] = merged(result[name], value);
  return result;
}

function walk(part: unknown, where: string, visit: (part: Schema, where: string) => void): void {
  if (typeof part !== 'object' || part === null) return;
  visit(part, where);
  for (const [name, below] of Object.entries(part)) {
    // Conditions refer to members of an object that is described elsewhere.
    if (!['if', 'then', 'anyOf', 'not'].includes(name)) walk(below, `${where}/${name}`, visit);
  }
}
