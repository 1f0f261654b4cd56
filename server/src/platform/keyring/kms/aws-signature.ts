import { createHash, createHmac } from 'node:crypto';
import type { Sensitive } from '../../../core/identity/sensitive.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: Sensitive<string>;
  readonly sessionToken?: Sensitive<string> | undefined;
}

export interface AwsRequest {
  /** The headers by name in lower case, including `host`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface AwsScope {
  readonly region: string;
  readonly service: string;
  readonly now: Date;
}

const algorithm = 'AWS4-HMAC-SHA256';

/**
 * Returns the headers of a signed POST to `/` with Signature Version 4. All headers are signed. KMS has a single path
 * and no query, so the rules for paths and queries are not implemented.
 */
export function signAwsRequest(
  { headers, body }: AwsRequest,
  { region, service, now }: AwsScope,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const token = sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken.reveal() };
  const signed: Record<string, string> = { ...headers, ...token, 'x-amz-date': time };
  const names = Object.keys(signed).sort();
  const lines = names.map((name) => `${name}:${signed[name]?.trim()}\n`).join('');
  const canonical = ['POST', '/', '', lines, names.join(';'), sha256(body)].join('\n');

  const scope = [time.slice(0, 8), region, service, 'aws4_request'];
  const toSign = [algorithm, time, scope.join('/'), sha256(canonical)].join('\n');
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey.reveal()}`);
  const signature = hmac(key, toSign).toString('hex');
  return {
    ...signed,
    authorization: `${algorithm} Credential=${accessKeyId}/${scope.join('/')}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
