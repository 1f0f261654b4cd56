import { type AlertThresholds, defaultThresholds } from '../audit/watch/alert-rule.ts';
import { auditArchive, evidenceMonths } from './audit-archive-settings.ts';
import { group, optionalSetting, settingWithDefault, type ValueOf } from './reading.ts';
import { parseText, urlWith, wholeNumber } from './setting-parsers.ts';

const { windowMinutes, misses, reveals, addresses } = defaultThresholds;

/** Thresholds of the worker, which raises alerts. Servers read them to show them in the portal. */
export const alerts = group<AlertThresholds>({
  windowMinutes: settingWithDefault('STRONGROOM_ALERT_WINDOW_MINUTES', wholeNumber(1, 1_440), windowMinutes, {
    expectation: 'how long a window is in which alerts count, from 1 to 1440 minutes',
  }),
  misses: settingWithDefault('STRONGROOM_ALERT_MISSES', wholeNumber(0, 1_000_000), misses, {
    expectation: 'how many misses of a key in a window raise an alert, up to 1000000; 0 for none',
  }),
  reveals: settingWithDefault('STRONGROOM_ALERT_REVEALS', wholeNumber(0, 100_000), reveals, {
    expectation: 'how many different tokens revealed to a key in a window raise an alert, up to 100000; 0 for none',
  }),
  addresses: settingWithDefault('STRONGROOM_ALERT_ADDRESSES', wholeNumber(0, 1_000), addresses, {
    expectation: 'how many known addresses a key may have for a new one to raise an alert, up to 1000; 0 for none',
  }),
});

/** Settings for the audit log. Checkpoints have two secondary destinations: `anchorFile` and `anchorUrl`. */
export const audit = group({
  retentionMonths: settingWithDefault('STRONGROOM_AUDIT_RETENTION_MONTHS', wholeNumber(4, 1_200), 13, {
    expectation: 'how many whole months of the audit log to keep in the database, from 4 to 1200',
  }),
  anchorFile: optionalSetting('STRONGROOM_AUDIT_ANCHOR_FILE', parseText, {
    expectation: 'the path of a file, ideally on another volume, to append audit log checkpoints to',
    example: '/mnt/anchor/strongroom.ndjson',
  }),
  anchorUrl: optionalSetting('STRONGROOM_AUDIT_ANCHOR_URL', urlWith('https:'), {
    expectation: 'an HTTPS URL to POST audit log checkpoints to',
    example: 'https://anchor.example.com/strongroom',
  }),
  backupDays: optionalSetting('STRONGROOM_BACKUP_DAYS', wholeNumber(0, 36_500), {
    expectation:
      'how many days you keep backups, up to 36500; receipts of erasures say until when removed tokens are in them',
    example: '35',
  }),
  archive: auditArchive,
  evidenceMonths,
  alerts,
});
export type AuditConfig = ValueOf<typeof audit>;
