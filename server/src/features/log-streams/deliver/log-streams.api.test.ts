import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { untilPasses, untilTrue } from '../../../../test/harness/deadline.ts';
import { EventReceiver } from '../../../../test/harness/event-receiver.ts';
import { EventVault } from '../../../../test/harness/event-vault.ts';
import { ObjectStorage } from '../../../../test/harness/object-storage.ts';
import { LocalRsyslog } from '../../../../test/harness/local-rsyslog.ts';
import { fillLog, signerOf } from '../../../../test/harness/sealed-log.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { FileStreamConfig, HttpsStreamConfig, StreamConfig } from '../../../platform/config/log-stream-config.ts';
import { checkStream, type StreamVerdict } from '../index.ts';

let events: EventVault;
let receiver: EventReceiver;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'strongroom-streams-'));
  events = await EventVault.start({ hasWorker: false });
  const { authority } = events.proxy;
  receiver = await EventReceiver.start(await authority.issue(['127.0.0.1']));
  await writeFile(file('ca.pem'), authority.certificate);
}, 120_000);
afterEach(async () => {
  await events.stopWorker();
  await events.vault.database.owner.query('delete from audit_streams');
  receiver.messages.length = 0;
  receiver.react = () => ({ status: 204 });
  await rm(file('out'), { recursive: true, force: true });
});
afterAll(async () => {
  await events.stop();
  await receiver.stop();
  await rm(directory, { recursive: true });
});

const file = (name: string) => path.join(directory, name);
const common = { format: 'record', start: 'oldest', tenants: undefined } as const;
const toHttps = (name: string, more: Partial<HttpsStreamConfig> = {}): HttpsStreamConfig => ({
  ...common,
  name,
  kind: 'https',
  url: `https://127.0.0.1:${receiver.port}/${name}`,
  encoding: 'ndjson',
  headers: new Sensitive({ authorization: 'Bearer of-a-test' }),
  authorityFile: file('ca.pem'),
  ...more,
});
const toFile = (name: string, more: Partial<FileStreamConfig> = {}): FileStreamConfig => ({
  ...common,
  name,
  kind: 'file',
  path: file(name),
  rotateBytes: 100_000_000,
  filesMax: 10,
  ...more,
});
const linesAt = (name: string) => receiver.at(`/${name}`).flatMap(({ body }) => body.trim().split('\n'));

/** Checks lines like an operator does. */
async function check(lines: readonly string[]): Promise<StreamVerdict> {
  await writeFile(file('received.ndjson'), `${lines.join('\n')}\n`);
  const publicKey = signerOf(events.vault.server).publicKey;
  return checkStream([file('received.ndjson')], { publicKey, onProgress: () => undefined });
}

/** Waits until a stream has everything that is sealed, and everything is. */
async function untilStreamed(name: string): Promise<void> {
  await untilTrue(
    async () => {
      const { rows } = await events.vault.database.owner.query(
        `select from audit_records, audit_sealing where sealing_order >= sealed_to
          union all select from (select tenant_id, max(number) as number from audit_checkpoints group by tenant_id) c
          left join audit_stream_positions p on p.tenant_id = c.tenant_id and p.stream = $1
          where p.number is distinct from c.number`,
        [name],
      );
      return rows.length === 0;
    },
    { waitingFor: `the stream ${name} to have everything` },
  );
}

async function countRecords(): Promise<number> {
  const { rows } = await events.vault.database.owner.query<{ count: number }>(
    'select count(*)::integer as count from audit_records',
  );
  return rows[0]?.count ?? 0;
}

describe('a stream to S3, spoken by an endpoint of the test', () => {
  it('stores objects that prove that nothing is missing, again after the storage has failed', async () => {
    const storage = await ObjectStorage.start();
    try {
      storage.refusal = { status: 503, code: 'SlowDown' };
      await fillLog(events.vault.database, { tenantId: events.tenant.id, count: 1_500 });
      const accessKey = { id: 'AKIDEXAMPLE12345', secret: new Sensitive('secret') };
      const s3 = { bucket: 'audit', prefix: 'live', region: 'us-east-1', endpoint: storage.url, accessKey };
      await events.startWorker([{ ...common, name: 'objects', kind: 's3', s3, intervalSeconds: 1 }]);
      await untilTrue(
        async () => {
          const { rows } = await events.vault.database.owner.query<{ failure: string }>(
            `select to_jsonb(s)::text as failure from audit_streams s where name = 'objects' and failures > 0`,
          );
          return rows[0]?.failure.includes('SlowDown') === true;
        },
        { waitingFor: 'the failure to be noted' },
      );
      storage.refusal = undefined;
      await untilStreamed('objects');
      const names = [...storage.objects.keys()].toSorted();
      expect(names.length).toBeGreaterThan(0);
      for (const name of names)
        expect(name).toMatch(/^audit\/live\/\d{4}\/\d\d\/\d\d\/\d{6}-[0-9a-f-]{36}-\d+\.ndjson$/);
      const verdict = await check(
        names.flatMap((name) => storage.objects.get(name)?.toString().trim().split('\n') ?? []),
      );
      expect(verdict).toMatchObject({ findings: [], unreadable: [] });
      expect(verdict.tenants.reduce((sum, { verified }) => sum + verified, 0)).toBe(await countRecords());
    } finally {
      await storage.stop();
    }
  });
});

describe('a stream over HTTPS', () => {
  it('has every record of the log, which proves that nothing is missing and nothing changed', async () => {
    const secret = '4242424242424242';
    await events.proxy.store({ number: secret, expiration_month: 12, expiration_year: 2030 }, { type: 'card' });
    await fillLog(events.vault.database, { tenantId: events.tenant.id, count: 2_500 });
    await events.startWorker([toHttps('ndjson')]);
    await untilStreamed('ndjson');
    const verdict = await check(linesAt('ndjson'));
    expect(verdict).toMatchObject({ findings: [], unreadable: [] });
    expect(verdict.tenants.reduce((sum, { verified }) => sum + verified, 0)).toBe(await countRecords());
    expect(receiver.at('/ndjson')[0]?.headers).toMatchObject({
      authorization: 'Bearer of-a-test',
      'content-type': 'application/x-ndjson',
    });
    for (const { body } of receiver.at('/ndjson')) expect(body.length).toBeLessThan(600_000);
    expect(linesAt('ndjson').join('')).not.toContain(secret);
  });

  it.each(['splunk-hec', 'elastic-bulk'] as const)(
    'speaks %s, in OCSF',
    async (encoding) => {
      receiver.react = () => ({ status: 200, body: '{"errors":false,"text":"Success","code":0}' });
      await events.startWorker([toHttps(encoding, { encoding, format: 'ocsf' })]);
      await untilStreamed(encoding);
      const bodies = receiver.messages.map(({ body }) => body.trim().split('\n')).flat();
      const isAction = (line: string) => line.startsWith('{"create"');
      const lines = encoding === 'elastic-bulk' ? bodies.filter((line) => !isAction(line)) : bodies;
      if (encoding === 'elastic-bulk') {
        expect(bodies.filter(isAction)).toHaveLength(lines.length);
        expect(new Set(bodies.filter(isAction)).size).toBe(lines.length);
        expect(receiver.messages[0]?.path).toBe('/elastic-bulk?filter_path=errors,items.*.status');
      }
      expect(await check(lines)).toMatchObject({ findings: [], unreadable: [] });
    },
    60_000,
  );

  it('sends again what Elasticsearch refused, and takes a document that exists for accepted', async () => {
    const refusals = ['{"errors":true,"items":[{"create":{"status":429}}]}', 'what', '{"errors":true}'];
    receiver.react = () => ({
      status: 200,
      body: refusals.pop() ?? '{"errors":true,"items":[{"create":{"status":409}}]}',
    });
    await events.startWorker([toHttps('elastic', { encoding: 'elastic-bulk' })]);
    await untilStreamed('elastic');
    expect(refusals).toEqual([]);
    expect(receiver.messages.length).toBeGreaterThan(3);
  });

  it('loses nothing when the receiver fails in every way, and delays no other stream', async () => {
    receiver.react = ({ path: at }) => (at === '/dead' ? 'hang' : { status: 204 });
    const failures = [{ status: 503 }, 'reset', { status: 301, headers: { location: 'https://127.0.0.1/' } }] as const;
    let count = 0;
    receiver.react = ({ path: at }) => {
      if (at === '/dead') return 'hang';
      count += 1;
      return at === '/failing' ? (failures[count - 1] ?? { status: 204 }) : { status: 204 };
    };
    await events.startWorker([toHttps('dead'), toHttps('failing')]);
    await untilStreamed('failing');
    const accepted = receiver.at('/failing').slice(failures.length);
    const verdict = await check(accepted.flatMap(({ body }) => body.trim().split('\n')));
    expect(verdict).toMatchObject({ findings: [], unreadable: [] });
    await untilPasses(async () => {
      const metrics = await (await fetch(`${events.adminUrl}/metrics`)).text();
      expect(metrics).toMatch(/strongroom_log_stream_lag_seconds\{stream="failing"\} 0\b/);
      expect(metrics).toMatch(/strongroom_log_stream_lag_seconds\{stream="dead"\} [1-9]/);
      expect(metrics).toMatch(/strongroom_log_stream_batches_total\{stream="failing",outcome="failed"\} 3/);
    });
  });

  it.each([
    ['of another authority', '127.0.0.1', undefined, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['of another host', 'other.example', 'ca.pem', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('sends nothing to a receiver with a certificate %s', async (_, host, authority, code) => {
    const other = await EventReceiver.start(await events.proxy.authority.issue([host]));
    try {
      const url = `https://127.0.0.1:${other.port}/`;
      await events.startWorker([toHttps('tls', { url, authorityFile: authority && file(authority) })]);
      await untilPasses(async () => {
        const { rows } = await events.vault.database.owner.query('select last_error from audit_streams');
        expect(rows).toEqual([{ last_error: code }]);
      });
      expect(other.messages).toEqual([]);
    } finally {
      await other.stop();
    }
  });
});

describe('a stream that begins now', () => {
  it('begins after a checkpoint that it names, and has everything after that', async () => {
    await events.startWorker();
    await untilPasses(async () => {
      const { rows } = await events.vault.database.owner.query(
        'select from audit_records, audit_sealing where sealing_order >= sealed_to',
      );
      expect(rows).toEqual([]);
    });
    await events.stopWorker();
    await events.startWorker([toHttps('now', { start: 'now' })]);
    await untilPasses(async () => {
      const { rows } = await events.vault.database.owner.query('select from audit_stream_positions');
      expect(rows.length).toBeGreaterThan(0);
    });
    const id = await events.proxy.store('later');
    await untilStreamed('now');
    const verdict = await check(linesAt('now'));
    expect(verdict).toMatchObject({ findings: [], unreadable: [] });
    const own = verdict.tenants.find(({ tenantId }) => tenantId === events.tenant.id);
    expect(own?.beginsAt).toBeGreaterThan(0);
    expect(linesAt('now').join('')).toContain(id);
  });

  it('has only the tenants that it is for', async () => {
    await events.startWorker([
      toHttps('others', { tenants: [crypto.randomUUID()] }),
      toHttps('own', { tenants: [events.tenant.id] }),
    ]);
    await untilPasses(() => expect(linesAt('own').length).toBeGreaterThan(0));
    await untilStreamed('own');
    for (const line of linesAt('own')) expect(line).toContain(`"tenant_id":"${events.tenant.id}"`);
    expect(linesAt('others')).toEqual([]);
  });
});

describe('a stream to a file', () => {
  it('is rotated, keeps the newest files, and continues after a line that was cut short', async () => {
    const stream = toFile('audit.ndjson', { rotateBytes: 1_000_000 });
    await events.startWorker([stream]);
    await untilStreamed('audit.ndjson');
    await events.stopWorker();
    await writeFile(stream.path, '{"kind":"record","cut sh', { flag: 'a' });
    await fillLog(events.vault.database, { tenantId: events.tenant.id, count: 3_000 });
    await events.startWorker([stream]);
    await untilStreamed('audit.ndjson');
    const names = (await readdir(directory)).filter((name) => name.startsWith('audit.ndjson')).toSorted();
    expect(names.length).toBeGreaterThan(1);
    const lines = (await Promise.all(names.map((name) => readFile(file(name), 'utf8')))).join('').trim().split('\n');
    const verdict = await check(lines);
    expect(verdict).toMatchObject({ findings: [], unreadable: [] });
    expect(verdict.tenants.reduce((sum, { verified }) => sum + verified, 0)).toBe(await countRecords());
  });
});

describe('a stream over syslog', () => {
  it('has every record at rsyslog, which is stopped in between', async () => {
    const rsyslog = await LocalRsyslog.start(events.proxy.authority, { demandsCertificate: true });
    try {
      const { cert, key } = await events.proxy.authority.issue(['vault'], { purpose: 'clientAuth' });
      await Promise.all([writeFile(file('client.pem'), cert), writeFile(file('client.key'), key)]);
      const stream: StreamConfig = {
        ...common,
        name: 'syslog',
        kind: 'syslog',
        host: '127.0.0.1',
        port: rsyslog.port,
        authorityFile: file('ca.pem'),
        certificateFile: file('client.pem'),
        keyFile: file('client.key'),
      };
      await events.startWorker([stream]);
      await untilStreamed('syslog');
      await rsyslog.pause();
      const id = await events.proxy.store('while rsyslog is stopped');
      await untilPasses(async () => {
        const { rows } = await events.vault.database.owner.query('select from audit_streams where failures > 0');
        expect(rows).toHaveLength(1);
      });
      await rsyslog.resume();
      await untilStreamed('syslog');
      await untilPasses(async () => expect((await rsyslog.messages()).join('')).toContain(id));
      const verdict = await check(await rsyslog.messages());
      expect(verdict).toMatchObject({ findings: [], unreadable: [] });
      expect(verdict.tenants.reduce((sum, { verified }) => sum + verified, 0)).toBe(await countRecords());
    } finally {
      await rsyslog.stop();
    }
  });
});
