import { type GroundFinding, ok } from './ground-finding.ts';
import type { GroundReading } from './ground-reading.ts';
import { hidden } from './hidden-setting.ts';

export function checkFsync({ fsync }: GroundReading): GroundFinding {
  const name = 'fsync';
  if (fsync === null) return hidden(name);
  if (fsync === 'on') return ok(name, 'on');
  return {
    name,
    verdict: 'fail',
    detail: 'off: PostgreSQL does not wait for its disk',
    promise: 'an acknowledged write survives a power loss; without it, the whole database may be damaged',
    remedy: 'set fsync = on and reload PostgreSQL',
  };
}

export function checkFullPageWrites({ fullPageWrites }: GroundReading): GroundFinding {
  const name = 'full_page_writes';
  if (fullPageWrites === null) return hidden(name);
  if (fullPageWrites === 'on') return ok(name, 'on');
  return {
    name,
    verdict: 'warn',
    detail: 'off: a page that is half written at a power loss cannot be repaired',
    promise: 'stored data survives a power loss, unless the file system writes pages as a whole (ZFS does)',
    remedy: 'set full_page_writes = on and reload PostgreSQL',
  };
}
