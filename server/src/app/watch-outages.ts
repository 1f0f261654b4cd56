import { OutageLog } from '../platform/database/outage-log.ts';
import type { Nodes } from '../platform/nodes/nodes.ts';
import type { Logger } from '../platform/telemetry/logger.ts';

/** Logs when a database is lost and when it is back: once for each, however many pools it has. */
export function watchOutages(nodes: Nodes, logger: Logger): void {
  for (const { database } of nodes.all) {
    const log = new OutageLog(logger);
    log.watch(database);
    if (database === nodes.home.database && nodes.claims !== database) log.watch(nodes.claims);
  }
}
