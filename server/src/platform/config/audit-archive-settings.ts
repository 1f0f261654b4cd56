import type { ObjectStoreConfig } from '../object-storage/open-object-store.ts';
import { companions, group, mapped, optionalSetting, setting, settingWithDefault } from './reading.ts';
import { isServiceUrl, textLike, urlWhere, wholeNumber } from './setting-parsers.ts';

type Place = { readonly folder: string } | { readonly bucket: string; readonly prefix: string };

/** The name of a bucket, and what the names of its objects may begin with. */
export const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
export const prefixPattern = /^[\w.-]{1,100}(?:\/[\w.-]{1,100}){0,8}$/;

const place = setting('STRONGROOM_AUDIT_ARCHIVE', parsePlace, {
  expectation:
    'the absolute path of a folder, or s3:// with a bucket and a prefix, in which to archive months of the audit log',
  example: 's3://strongroom-audit/production',
  otherwise: 'months that are past their retention are dropped without an archive',
});

const settings = group({
  place,
  region: settingWithDefault('STRONGROOM_AUDIT_ARCHIVE_REGION', textLike(/^[a-z0-9-]{1,64}$/), 'us-east-1', {
    expectation: 'the region of the bucket; storage of others mostly accepts any',
    example: 'eu-central-1',
  }),
  endpoint: optionalSetting('STRONGROOM_AUDIT_ARCHIVE_ENDPOINT', urlWhere(isServiceUrl), {
    expectation: 'the HTTPS address of S3-compatible storage, if it is not that of AWS',
    example: 'https://s3.example.com',
    otherwise: 'the bucket is in AWS',
  }),
});

/**
 * Where months of the audit log are archived. The SDK finds credentials for a bucket as it does in every other program.
 */
export const auditArchive = companions(
  place,
  mapped(
    settings,
    ({ place: where, region, endpoint }): ObjectStoreConfig =>
      'folder' in where ? where : { s3: { ...where, region, endpoint } },
  ),
);

/** How many monthly bundles of evidence there are in the archive. */
export const evidenceMonths = companions(
  place,
  optionalSetting('STRONGROOM_EVIDENCE_MONTHS', wholeNumber(1, 120), {
    expectation:
      'how many bundles of evidence to keep in the archive of the audit log, from 1 to 120; `work` writes one each month',
    example: '24',
    otherwise: '`work` writes no evidence',
  }),
);

function parsePlace(text: string): Place | undefined {
  if (/^\/[^\0]{0,1000}$/.test(text)) return { folder: text };
  const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]*)\/?(.*?)\/?$/.exec(text) ?? [];
  return bucketPattern.test(bucket) && (prefix === '' || prefixPattern.test(prefix)) ? { bucket, prefix } : undefined;
}
