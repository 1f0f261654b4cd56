import type { Check } from './check.ts';

/** The log must match its checkpoints, and these must match the checkpoints written to the anchor during the round. */
export const logCheck: Check = {
  name: 'the log verifies against its anchor',
  run: async ({ cluster }) => {
    const findings: string[] = [];
    const [node] = cluster.applications;
    const printed = await node
      ?.run(['audit', 'verify', '--anchor', cluster.anchorFile])
      .catch((error: unknown) => error);
    if (typeof printed !== 'string') findings.push(String(printed));
    return findings;
  },
};
