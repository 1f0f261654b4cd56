import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { streamPath } from '../stage/outside.ts';
import type { Check } from './check.ts';

interface Verdict {
  readonly tenants: readonly { readonly tenant_id: string; readonly verified: number; readonly checkpoint: number }[];
}

/** What the receiver of the log stream has is the log, without a gap and up to its newest checkpoint. */
export const streamCheck: Check = {
  name: 'nothing is missing at the receiver of the log stream',
  run: async ({ cluster, marker, say }) => {
    const [node] = cluster.applications;
    if (node === undefined) return ['There is no machine to run commands on.'];
    const bodies = cluster.outside.events.at(streamPath).map(({ body }) => body);
    const file = path.join(cluster.folder, 'stream.ndjson');
    await writeFile(file, bodies.join(''));
    const findings = bodies.some((body) => body.includes(marker)) ? ['a value arrived'] : [];
    try {
      const { public_key: key } = JSON.parse(await node.run(['audit', 'verify', '--json'])) as { public_key: string };
      const check = ['audit', 'check-stream', file, '--public-key', key, '--anchor', cluster.anchorFile, '--json'];
      const { tenants } = JSON.parse(await node.run(check)) as Verdict;
      const newest = await cluster.query<{ tenant: string; number: number }>(
        'select tenant_id as tenant, max(number)::int as number from audit_checkpoints group by tenant_id',
      );
      for (const { tenant, number } of newest) {
        const last = tenants.find(({ tenant_id: id }) => id === tenant)?.checkpoint ?? 0;
        if (last < number) findings.push(`it ends at checkpoint ${last} of ${number}`);
      }
      const records = tenants.reduce((sum, { verified }) => sum + verified, 0);
      say(`log stream: ${records} records in ${bodies.length} batches`);
    } catch (error) {
      findings.push(String(error));
    }
    return findings;
  },
};
