import type { Database } from '../../../platform/database/database.ts';
import { databaseClock } from '../../../platform/database/database-clock.ts';
import type { Job } from '../../../platform/jobs/job.ts';
import { CeremonyStore } from './ceremony-store.ts';
import { lockSeconds } from '../people/sign-in-attempts.ts';
import { SignInAttemptStore } from '../people/sign-in-attempt-store.ts';
import { SignInLinkStore } from './sign-in-link-store.ts';
import { UserSessionStore } from '../people/user-session-store.ts';

/** Removes expired sessions, links, counters and ceremonies. */
export function sweepSignInsJob(database: Database): Job {
  return {
    name: 'sweep-sign-ins',
    schedule: { everyMinutes: 15, atMinute: 0 },
    async run() {
      await database.forPortal((tx) => new UserSessionStore(tx, databaseClock).sweep());
      await database.forPortal((tx) => new SignInLinkStore(tx, databaseClock).sweep());
      await database.forPortal((tx) => new SignInAttemptStore(tx, databaseClock).sweep(lockSeconds));
      await database.forPortal((tx) => new CeremonyStore(tx).sweep());
    },
  };
}
