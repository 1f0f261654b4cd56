import type { ScopeRow } from './scope-row.ts';

const access = ['ISO/IEC 27001:2022 A.5.15', 'SOC 2 CC6.1'];
const identity = ['ISO/IEC 27001:2022 A.5.15', 'ISO/IEC 27001:2022 A.5.16', 'SOC 2 CC6.1'];
const logging = ['ISO/IEC 27001:2022 A.8.15', 'ISO/IEC 27001:2022 A.8.16', 'SOC 2 CC7.2'];

/** Requirements 7 to 12: access, people, logs and tests. */
export const accessRows = [
  {
    id: 'access-by-need',
    requirements: '7.2.1, 7.2.2, 7.2.5 and 7.3.3',
    topic: 'access by need',
    vault:
      'everything is denied unless a permission or rule allows it, by container and transform; sessions for one token and a few minutes, listed and ended at will; `POST /access/explain`',
    yours: 'roles, approvals, and the reviews of 7.2.4 and 7.2.5.1; `strongroom audit who` lists who can see what',
    related: access,
  },
  {
    id: 'approval',
    requirements: '7.2.3',
    topic: 'approval of access by authorized personnel',
    vault:
      'with [`approve_plaintext`](guides/approve-plaintext.md), a second owner or admin approves any change that widens access to plaintext, recorded with both names',
    yours: 'turning it on; approvers who ask why',
    related: access,
  },
  {
    id: 'queries',
    requirements: '7.2.6',
    topic: 'queries of stored card data',
    vault: 'the database has ciphertext; people see masked data in the portal',
    yours:
      'who can reach the database, its backups and the root key: no single person should have access to all of them',
    related: access,
  },
  {
    id: 'unused-accounts',
    requirements: '8.2.6',
    topic: 'accounts that nobody uses',
    vault:
      'when each member last signed in and each key was last used; members who leave lose access with their next request',
    yours: 'removing or disabling what was not used for 90 days',
    related: identity,
  },
  {
    id: 'idle-sessions',
    requirements: '8.2.8',
    topic: 'sign in again after 15 minutes idle',
    vault:
      'the portal ends a session after 15 minutes without input; pages that refresh automatically do not extend it',
    yours: 'workstations that lock as well',
    related: identity,
    withoutFacts: 'no setting changes it; tests of the release show it',
  },
  {
    id: 'lockout',
    requirements: '8.3.4',
    topic: 'lockout after 10 attempts for 30 minutes',
    vault:
      "the tenth failure locks a password for 30 minutes; a passkey, the provider or an operator's link still works and ends the lock",
    yours: "the provider's own lockout, if you use one",
    related: identity,
    withoutFacts: 'no setting changes it; tests of the release show it',
  },
  {
    id: 'passwords',
    requirements: '8.3.6',
    topic: 'strength of passwords',
    vault:
      '12 characters at least, with letters and digits; in production tenants, an older password without both only lets its user replace it',
    yours: "the provider's policy, if you use one",
    related: identity,
    withoutFacts: 'no setting changes it; tests of the release show it',
  },
  {
    id: 'several-factors',
    requirements: '8.4.2',
    topic: 'more than one factor',
    vault:
      'a passkey, or a password with a code; with an OpenID provider, what the provider requires; in production tenants, a mailed link alone gives no access',
    yours: "the provider's policy; access to hosts, database and key service",
    related: identity,
  },
  {
    id: 'application-secrets',
    requirements: '8.6.2 and 8.6.3',
    topic: 'secrets of applications',
    vault:
      'random keys, stored as hashes, with an expiry if you set one; [two at a time](portal.md#applications-and-keys) to replace one without an interruption',
    yours: 'no keys in code or files under version control; how often you replace them',
    related: identity,
  },
  {
    id: 'what-is-logged',
    requirements: '10.2.1 and 10.2.2',
    topic: 'what is logged',
    vault:
      'a record before every response: who, what, when, from where, with which result, including denied attempts, reads of the log, and changes of keys and rights',
    yours: 'logs of hosts, database, reverse proxy and key service',
    related: logging,
  },
  {
    id: 'log-protection',
    requirements: '10.3.2 to 10.3.4',
    topic: 'protection of logs',
    vault:
      "[sealed and provable](guides/verify-the-audit-log.md): the server's role cannot change records, and every change is detected",
    yours: 'an anchor elsewhere, copies on a central system, running `strongroom audit verify` regularly',
    related: logging,
  },
  {
    id: 'log-review',
    requirements: '10.4.1 and 10.4.1.1',
    topic: 'review of logs',
    vault:
      '[alerts](operate/audit-log.md#alerts) about guesses, many reveals and new addresses; filters, counts and export',
    yours: 'daily reviews; rules of your own; a person who reacts',
    unchecked: '10.4.1.1',
    related: logging,
  },
  {
    id: 'log-retention',
    requirements: '10.5.1',
    topic: '12 months of logs',
    vault: '13 months by default, all of them in the database',
    yours: 'not less than that; the logs of everything else',
    related: logging,
  },
  {
    id: 'clocks',
    requirements: '10.6.1',
    topic: 'synchronized clocks',
    vault: 'warns if its clock and that of PostgreSQL differ, and rejects records from after their sealing',
    yours: 'time synchronization of every host',
    related: logging,
  },
  {
    id: 'failures-noticed',
    requirements: '10.7.2',
    topic: 'failures of security controls are noticed',
    vault: '[metrics, alert rules and runbooks](monitoring.md) for sealing, workers, key service and more',
    yours: 'monitoring that runs and alerts someone',
    related: logging,
  },
  {
    id: 'scans',
    requirements: '11.3 and 11.4',
    topic: 'scans and penetration tests',
    vault: 'tests of attacks in the repository, which are not a penetration test',
    yours: 'scans, penetration tests, and tests of segmentation',
    withoutFacts: 'they are carried out by others, from outside',
  },
  {
    id: 'changes-detected',
    requirements: '11.6.1',
    topic: 'detection of changes',
    vault: 'the manifest and `strongroom doctor`',
    yours: 'a monitor that runs weekly or more often and alerts someone',
    withoutFacts: 'only a browser outside sees what customers receive',
  },
  {
    id: 'incidents',
    requirements: '12.10',
    topic: 'incident response',
    vault: '[what a key saw, with proofs](guides/answer-an-incident.md)',
    yours: 'the plan, its tests, and the people',
    unchecked: '12.10',
    withoutFacts: 'plans and people are not in the vault',
  },
] as const satisfies readonly ScopeRow[];
