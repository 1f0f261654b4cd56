import { createHash } from 'node:crypto';
import dns from 'node:dns';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf, shownOf } from '../../../../../test/harness/failure.ts';
import { AwsIdentityEndpoint } from '../../../../../test/harness/key-services/aws-identity-endpoint.ts';
import { AwsKmsEndpoint } from '../../../../../test/harness/key-services/aws-kms-endpoint.ts';
import { headersOf } from '../../../../../test/harness/tls-destination.ts';
import type { AwsKmsOptions } from './aws-kms-client.ts';

const role = 'arn:aws:iam::111122223333:role/strongroom';
let kms: AwsKmsEndpoint;
let identity: AwsIdentityEndpoint;
let folder: string;

beforeAll(async () => {
  kms = await AwsKmsEndpoint.start();
  identity = await AwsIdentityEndpoint.start();
  kms.credentials.push(identity.issued);
});
afterAll(async () => {
  identity.stop();
  await kms.stop();
});
beforeEach(async () => {
  // A folder for each test, because the SDK remembers the files that it has read.
  folder = await mkdtemp(path.join(tmpdir(), 'strongroom-aws-'));
  identity.seen.length = 0;
  identity.isUnavailable = false;
  kms.recover();
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
  vi.stubEnv('HOME', folder);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('AWS_ENDPOINT_URL_STS', identity.url);
  vi.stubEnv('AWS_ENDPOINT_URL_SSO', identity.url);
  return async () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    await rm(folder, { recursive: true });
  };
});

/** Opens the root key without credentials of its own. */
async function openWithChain(changed: Partial<AwsKmsOptions> = {}): Promise<void> {
  const opened = await kms.open({ accessKey: undefined, ...changed });
  await opened.close();
}

async function write(name: string, text: string): Promise<string> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

function expectTemporaryCredentials(): void {
  const { 'x-amz-security-token': token } = headersOf(kms.service.destination.last);
  expect(token).toEqual([identity.issued.sessionToken]);
}

describe('the SDK finds credentials', () => {
  it('in an access key that the operator gives to this vault alone', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIASOMEBODYELSE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'of another program');
    await (await kms.open()).close();
    expect(headersOf(kms.service.destination.last)['authorization']?.join()).toContain(kms.own.accessKeyId);
  });

  it('by web identity, as in EKS with IAM roles for service accounts', async () => {
    vi.stubEnv('AWS_ROLE_ARN', role);
    vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', await write('token', identity.tokens.webIdentity));
    await openWithChain();
    expect(identity.seen).toEqual(['AssumeRoleWithWebIdentity']);
    expectTemporaryCredentials();
  });

  it('in the role of an EC2 instance', async () => {
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', undefined);
    vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', identity.url);
    await openWithChain();
    expect(identity.seen).toEqual(['instance role']);
    expectTemporaryCredentials();
  });

  it('in the role of a container, as in ECS and with EKS Pod Identity', async () => {
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${identity.url}/v1/credentials`);
    vi.stubEnv('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE', await write('pod-token', identity.tokens.container));
    await openWithChain();
    expect(identity.seen).toEqual(['container']);
    expectTemporaryCredentials();
  });

  it('in no address that is neither encrypted nor on this machine', async () => {
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', 'http://10.0.0.1/v1/credentials');
    expect(await failureOf(openWithChain())).toMatchObject({ trouble: 'denied' });
  });

  it('in a profile that assumes a role', async () => {
    const { accessKeyId, secretAccessKey } = kms.own;
    const source = `[source]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`;
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', await write('credentials', source));
    vi.stubEnv(
      'AWS_CONFIG_FILE',
      await write('config', `[profile strongroom]\nrole_arn = ${role}\nsource_profile = source\nexternal_id = a\n`),
    );
    await openWithChain({ profile: 'strongroom' });
    expect(identity.seen).toEqual(['AssumeRole']);
    expectTemporaryCredentials();
  });

  it('in a profile with SSO', async () => {
    const session = 'sso_start_url = https://example.awsapps.com/start\nsso_region = eu-central-1\n';
    vi.stubEnv(
      'AWS_CONFIG_FILE',
      await write(
        'config',
        `[profile strongroom]\nsso_session = work\nsso_account_id = 111122223333\nsso_role_name = strongroom\n\n[sso-session work]\n${session}`,
      ),
    );
    const cached = `.aws/sso/cache/${createHash('sha1').update('work').digest('hex')}.json`;
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    await write(cached, JSON.stringify({ accessToken: identity.tokens.sso, expiresAt }));
    await openWithChain({ profile: 'strongroom' });
    expect(identity.seen).toEqual(['SSO']);
    expectTemporaryCredentials();
  });
});

describe('without credentials, the error says what to do', () => {
  it('if nothing provides any', async () => {
    const failure = await failureOf(openWithChain());
    expect(failure).toMatchObject({ trouble: 'denied' });
    expect(failure.message).toContain('Give this machine a role, a profile or an access key.');
  });

  it('if the token of the service account is not accepted, without repeating it', async () => {
    vi.stubEnv('AWS_ROLE_ARN', role);
    vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', await write('token', 'a.stolen.token'));
    const failure = await failureOf(openWithChain());
    expect(failure).toMatchObject({ trouble: 'denied' });
    expect(failure.message).toContain('Check the trust policy of the role');
    expect(shownOf(failure)).not.toContain('a.stolen.token');
  });

  it('within the time limit if what issues them is unavailable', async () => {
    vi.stubEnv('AWS_ROLE_ARN', role);
    vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', await write('token', identity.tokens.webIdentity));
    identity.isUnavailable = true;
    expect(await failureOf(openWithChain())).toMatchObject({ trouble: 'unreachable' });
  });
});

describe('a clock that is wrong', () => {
  it('is corrected by the time of the service', async () => {
    kms.clockAheadMs = 3_600_000;
    await (await kms.open()).close();
  });
});

describe('a service that fails for a moment', () => {
  it('is asked again', async () => {
    const rootKey = await kms.open();
    let failures = 2;
    kms.service.mood = (request) => {
      failures -= 1;
      return failures >= 0 ? { status: 500, body: { __type: 'KMSInternalException' } } : kms.answer(request);
    };
    await rootKey.wrap(Buffer.alloc(32), { tenant: 'a', purpose: 'data', version: 1 });
    expect(failures).toBe(-1);
    await rootKey.close();
  });
});

describe('the address', () => {
  it.each<[string, Partial<AwsKmsOptions>]>([
    ['kms.eu-central-1.amazonaws.com', {}],
    ['kms-fips.us-east-1.amazonaws.com', { region: 'us-east-1', usesFips: true }],
    ['kms.cn-north-1.amazonaws.com.cn', { region: 'cn-north-1' }],
    ['vpce-1.kms.eu-central-1.vpce.amazonaws.com', { endpoint: 'https://vpce-1.kms.eu-central-1.vpce.amazonaws.com' }],
  ])('is %s', async (host, changed) => {
    const asked: string[] = [];
    vi.spyOn(dns, 'lookup').mockImplementation(((name: string, _: unknown, done: (error: Error) => void) => {
      asked.push(name);
      done(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }));
    }) as typeof dns.lookup);
    const failure = await failureOf(kms.open({ endpoint: undefined, ...changed }));
    expect(failure.message).toContain('AWS KMS cannot be reached (ENOTFOUND)');
    expect(new Set(asked)).toEqual(new Set([host]));
  });
});
