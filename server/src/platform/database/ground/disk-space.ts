import { statfs } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { formatBytes } from './format-bytes.ts';
import type { GroundFinding } from './ground-finding.ts';

/** The information that PostgreSQL has about its disk. PostgreSQL cannot report the free space. */
export interface DiskReading {
  readonly databaseBytes: number;
  /** The size of the write-ahead log that replication slots keep from being removed. Null if there are no slots. */
  readonly slotBytes: number | null;
  /** Null unless the login is a member of pg_read_all_settings. */
  readonly dataDirectory: string | null;
  /** Null for a connection through a Unix socket. */
  readonly serverAddress: string | null;
}

export const diskText = `select pg_database_size(current_database())::float8 as "databaseBytes",
  (select max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn))::float8 from pg_replication_slots) as "slotBytes",
  (select setting from pg_settings where name = 'data_directory') as "dataDirectory",
  host(inet_server_addr()) as "serverAddress"`;

const name = 'disk space';
/** The same threshold as in the alert StrongroomDiskNearlyFull. */
const freeMin = 0.1;
const freeLeast = 0.02;
const slotMaxBytes = 10 * 1024 ** 3;

interface FreeSpace {
  readonly bytes: number;
  readonly share: number;
}

export async function checkDiskSpace(reading: DiskReading, find = findFreeSpace): Promise<GroundFinding> {
  const known = `the database holds ${formatBytes(reading.databaseBytes)}`;
  if (reading.slotBytes !== null && reading.slotBytes > slotMaxBytes) {
    return {
      name,
      verdict: 'warn',
      detail: `${known}; a replication slot keeps ${formatBytes(reading.slotBytes)} of write-ahead log for a standby that does not take it`,
      promise: 'the disk does not fill up; PostgreSQL stops if it does',
      remedy: 'start that standby, or drop its slot; see docs/runbooks/standby-lost.md',
    };
  }
  const free = await find(reading);
  if (free === undefined) {
    return {
      name,
      verdict: 'unknown',
      detail: `${known}; how much of its disk is free cannot be seen from here: the alerts StrongroomDiskNearlyFull and StrongroomDiskFilling watch it, with node_exporter on the machine of PostgreSQL`,
    };
  }
  const detail = `${known}; ${formatBytes(free.bytes)} (${Math.floor(free.share * 100)} %) are free in ${reading.dataDirectory ?? ''}`;
  if (free.share >= freeMin) return { name, verdict: 'ok', detail };
  return {
    name,
    verdict: free.share < freeLeast ? 'fail' : 'warn',
    detail,
    promise: 'PostgreSQL accepts writes; it stops when its disk is full',
    remedy: 'make room; see docs/runbooks/disk-nearly-full.md',
  };
}

/** Returns undefined unless PostgreSQL runs on this machine, in a directory that also exists here. */
async function findFreeSpace({ dataDirectory, serverAddress }: DiskReading): Promise<FreeSpace | undefined> {
  if (dataDirectory === null || !isOwnAddress(serverAddress)) return undefined;
  try {
    const { bavail, blocks, bsize } = await statfs(dataDirectory);
    return { bytes: bavail * bsize, share: bavail / blocks };
  } catch {
    return undefined;
  }
}

function isOwnAddress(address: string | null): boolean {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return address === null || own.some((one) => one.address === address);
}
