import type { EvidenceOrder } from '../../src/app/evidence/take-evidence.ts';
import { defaultThresholds } from '../../src/platform/audit/watch/alert-rule.ts';
import type { TestVault } from './test-vault.ts';

const yearMs = 365 * 86_400_000;

/** What the command asks for, with the settings of a vault whose log is kept for 13 months. */
export function evidenceOrder(vault: TestVault, own: Partial<EvidenceOrder> = {}): EvidenceOrder {
  return {
    config: {
      ...vault.config,
      audit: {
        retentionMonths: 13,
        anchorFile: undefined,
        anchorUrl: undefined,
        backupDays: undefined,
        archive: undefined,
        evidenceMonths: undefined,
        alerts: defaultThresholds,
      },
    },
    streams: [],
    environment: {},
    version: '1.0.0',
    tenantId: undefined,
    period: { from: new Date(Date.now() - yearMs), to: new Date() },
    onStep: () => undefined,
    onRecords: () => undefined,
    onFailure: (group, error) => {
      throw new Error(`Facts about ${group} could not be read.`, { cause: error });
    },
    ...own,
  };
}
