import { createHash, createHmac } from 'node:crypto';
import { headersOf, type SeenRequest } from '../tls-destination.ts';

export interface KnownCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The maximum accepted clock skew of a caller. */
const skewMaxMs = 5 * 60_000;

/**
 * Recomputes the signature of a request to KMS from the received bytes, following "Create a signed AWS API request" on
 * `docs.aws.amazon.com`. Returns the name of the error that KMS would respond with.
 */
export function signatureProblem(
  request: SeenRequest,
  {
    known,
    region,
    now,
  }: { readonly known: readonly KnownCredentials[]; readonly region: string; readonly now: number },
): string | undefined {
  const headers = headersOf(request);
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/kms\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers['authorization']?.join() ?? '',
    );
  const [, accessKeyId, day = '', signedRegion = '', signedNames = '', signature] = parts ?? [];
  const credentials = known.find((one) => one.accessKeyId === accessKeyId);
  if (parts === null) return 'IncompleteSignatureException';
  if (credentials === undefined) return 'UnrecognizedClientException';
  if (headers['x-amz-security-token']?.join() !== credentials.sessionToken) return 'UnrecognizedClientException';

  const names = signedNames.split(';');
  const mustBeSigned = ['host', 'content-type', 'x-amz-date', 'x-amz-target', 'x-amz-security-token'];
  if (mustBeSigned.some((name) => name in headers && !names.includes(name))) return 'InvalidSignatureException';
  const time = headers['x-amz-date']?.join() ?? '';
  const sentAt = Date.parse(time.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  const isLate = Number.isNaN(sentAt) || !time.startsWith(day) || Math.abs(now - sentAt) > skewMaxMs;
  if (isLate || signedRegion !== region) return 'InvalidSignatureException';

  const [method, path] = request.head.split(' ');
  let canonical = `${method}\n${path}\n\n`;
  for (const name of names) canonical += `${name}:${headers[name]?.join(',')}\n`;
  canonical += `\n${signedNames}\n${createHash('sha256').update(request.body).digest('hex')}`;
  const hash = createHash('sha256').update(canonical, 'utf8').digest('hex');
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = mac(mac(mac(mac(`AWS4${credentials.secretAccessKey}`, day), region), 'kms'), 'aws4_request');
  const expected = mac(key, `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/kms/aws4_request\n${hash}`).toString('hex');
  return signature === expected ? undefined : 'InvalidSignatureException';
}
