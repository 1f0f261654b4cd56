import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../random.ts';
import type { Cluster } from '../stage/cluster.ts';
import type { MachineFaults } from '../stage/machine-faults.ts';
import type { FaultKind } from './fault.ts';
import { primaryOf } from './processes.ts';

/** Disk faults: a full disk, or a broken one. */
export const diskFaults: readonly FaultKind[] = [
  {
    name: 'disk of the primary full',
    lastsSeconds: [5, 20],
    begin: async (cluster) => {
      const { disk } = await primaryOf(cluster);
      await disk.fill();
      return () => disk.free();
    },
  },
  {
    name: 'disk of a standby full',
    lastsSeconds: [5, 20],
    begin: async (cluster, random) => {
      const { disk } = random.pick(await cluster.standbys());
      await disk.fill();
      return () => disk.free();
    },
  },
  {
    name: 'fsync fails on the primary',
    lastsSeconds: [3, 10],
    begin: async (cluster) => {
      const { faults } = await primaryOf(cluster);
      await faults.setFsyncFails(true);
      return () => faults.setFsyncFails(false);
    },
  },
  {
    name: 'fsync fails on a standby',
    lastsSeconds: [3, 10],
    begin: async (cluster, random) => {
      const { faults } = random.pick(await cluster.standbys());
      await faults.setFsyncFails(true);
      return () => faults.setFsyncFails(false);
    },
  },
];

/** Clock faults: jumps forward or back, by seconds or by hours. */
export const clockFaults: readonly FaultKind[] = [
  jumpOf('clock of the primary jumps', async (cluster) => (await primaryOf(cluster)).faults),
  jumpOf('clock of a standby jumps', async (cluster, random) => random.pick(await cluster.standbys()).faults),
  jumpOf('clock of a server and worker jumps', async (cluster, random) => random.pick(cluster.applications).faults),
];

const leaseMs = 25_000;
const jumpsSeconds = [-7_200, -300, -20, 20, 300, 7_200];

function jumpOf(name: string, choose: (cluster: Cluster, random: Random) => Promise<MachineFaults>): FaultKind {
  return {
    name,
    lastsSeconds: [3, 15],
    makesTimeUnclear: true,
    begin: async (cluster, random) => {
      const faults = await choose(cluster, random);
      await faults.setClock(random.pick(jumpsSeconds));
      return async () => {
        await faults.setClock(0);
        // A process that sleeps until a wall-clock time may hold its lease for the full duration, and its absence is
        // only noticed after that.
        await pause(leaseMs);
      };
    },
  };
}
