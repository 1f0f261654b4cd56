import { answersCheck } from './answers.ts';
import { backupsCheck } from './backups.ts';
import type { Check } from './check.ts';
import { codesCheck, codesLaterCheck } from './codes.ts';
import { equalValuesCheck } from './equal-values.ts';
import { eventsCheck } from './events.ts';
import { mailsCheck } from './mails.ts';
import { plaintextCheck } from './plaintext.ts';
import { recordsCheck, uncertainCheck } from './records.ts';
import { rightsCheck } from './rights.ts';
import { logCheck } from './sealed-log.ts';
import { countersCheck, stuckCheck } from './settled.ts';
import { streamCheck } from './stream.ts';
import { createsCheck, tokensCheck } from './token-model.ts';
import { undisturbedCheck } from './undisturbed.ts';

/** All invariants that are checked after every round. */
export const checks: readonly Check[] = [
  tokensCheck,
  createsCheck,
  recordsCheck,
  uncertainCheck,
  logCheck,
  countersCheck,
  equalValuesCheck,
  rightsCheck,
  codesCheck,
  answersCheck,
  undisturbedCheck,
  mailsCheck,
  eventsCheck,
  streamCheck,
  plaintextCheck,
  backupsCheck,
  stuckCheck,
  codesLaterCheck,
];
