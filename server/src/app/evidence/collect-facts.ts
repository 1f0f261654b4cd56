import type { Fact } from '../../core/evidence/fact.ts';
import { FactTally } from '../../core/evidence/fact-tally.ts';
import { scopeRows } from '../../core/evidence/scope-rows.ts';
import { toError } from '../../core/errors/thrown.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { EvidenceReading, FactGroup, Observations } from './facts/fact-group.ts';
import { allFacts, factGroups } from './facts/fact-groups.ts';

export interface FactCollecting {
  readonly tenantIds: readonly TenantId[];
  readonly onStep: (done: number, total: number) => void;
  /** Called with the reason why a group could not be read. */
  readonly onFailure: (group: string, error: Error) => void;
}

/**
 * Reads all facts, one group and one tenant at a time, each in its own transactions. What has been read is added up, so
 * the memory that this takes does not grow with the number of tenants. Facts that cannot be read are reported as such.
 */
export async function collectFacts(reading: EvidenceReading, collecting: FactCollecting): Promise<Fact[]> {
  const { tenantIds, onStep, onFailure } = collecting;
  const tallies = new Map(allFacts.map((definition) => [definition.id, new FactTally(definition)]));
  const total = factGroups.length * (tenantIds.length + 1);
  let done = 0;
  const readOnce = async ({ name, facts }: FactGroup, read: Promise<Observations> | undefined) => {
    try {
      const observations = (await read) ?? {};
      for (const [id, observation] of Object.entries(observations)) tallies.get(id)?.add(observation, new Date());
    } catch (error) {
      onFailure(name, toError(error));
      for (const { id } of facts) tallies.get(id)?.addFailure(new Date());
    }
    done += 1;
    onStep(done, total);
  };
  for (const group of factGroups) {
    await readOnce(group, group.readVault?.(reading));
    for (const tenantId of tenantIds) await readOnce(group, group.readTenant?.(reading, tenantId));
  }
  const order = new Map<string, number>(scopeRows.map(({ id }, index) => [id, index]));
  return [...tallies.values()]
    .map((tally) => tally.finish())
    .toSorted((a, b) => (order.get(a.definition.row) ?? 0) - (order.get(b.definition.row) ?? 0));
}
