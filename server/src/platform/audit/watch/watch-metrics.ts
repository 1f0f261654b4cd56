import type { Metrics } from '../../telemetry/metrics.ts';
import { alertRules } from './alert-rule.ts';
import type { WatchPass } from './watcher.ts';

/** More applications than this are counted together: each is three time series. */
const applicationsMax = 200;

/** Browsers and people are counted together, by what they are. */
const together: Readonly<Record<string, string>> = { session: 'sessions', user: 'users' };

/** Counts what was watched, by application. The first applications that turn up have a name of their own. */
export class WatchMetrics {
  readonly #attempts: { inc(labels: Record<string, string>, by: number): void };
  readonly #alerts: { inc(labels: Record<string, string>, by: number): void };
  readonly #applications = new Set<string>();

  constructor(metrics: Metrics) {
    this.#attempts = metrics.addCounter(
      'strongroom_audit_watched_total',
      'Denied attempts, things that were missing and reveals in sealed records, by application.',
      ['application', 'kind'],
    );
    this.#alerts = metrics.addCounter('strongroom_audit_alerts_total', 'Alerts that were written to the audit log.', [
      'rule',
    ]);
    // From 0, so that the first alert is an increase.
    for (const rule of alertRules) this.#alerts.inc({ rule }, 0);
  }

  count({ groups, alerts }: WatchPass): void {
    for (const { actorType, actorId, kind, count } of groups) {
      if (kind === 'other') continue;
      this.#attempts.inc({ application: together[actorType] ?? this.#labelOf(actorId), kind }, count);
    }
    for (const { rule } of alerts) this.#alerts.inc({ rule }, 1);
  }

  #labelOf(applicationId: string): string {
    if (this.#applications.has(applicationId)) return applicationId;
    if (this.#applications.size >= applicationsMax) return 'other';
    this.#applications.add(applicationId);
    return applicationId;
  }
}
