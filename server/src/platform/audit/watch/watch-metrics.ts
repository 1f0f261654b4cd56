import type { Metrics } from '../../telemetry/metrics.ts';
import { alertRules } from './alert-rule.ts';
import type { WatchPass } from './watcher.ts';

/**
 * The number of applications with their own label. All others are counted together, because each label adds three time
 * series.
 */
const applicationsMax = 200;

/** The labels of actor types that are counted together instead of per actor. */
const together: Readonly<Record<string, string>> = { session: 'sessions', user: 'users' };

/** Counts watched operations by application. The first applications that appear get their own label. */
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
    // The counters start at 0, so that the first alert is visible as an increase.
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
