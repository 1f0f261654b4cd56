import { OperatorError } from '../../core/errors/operator-error.ts';
import { nameOf } from '../../core/errors/thrown.ts';
import { CredentialDirectory } from '../../features/applications/index.ts';
import { ChangeFeed } from '../../platform/database/changes/change-feed.ts';
import { OutageLog } from '../../platform/database/connections/outage-log.ts';
import { requireAnswer } from '../../platform/database/require-answer.ts';
import { markOf } from '../../platform/keyring/kms/root-key-marks.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Tracer } from '../../platform/telemetry/tracer.ts';
import { openTracer } from '../../platform/traces/open-tracer.ts';
import { withinRequests } from '../wiring/database-time-limits.ts';
import { VaultCore } from '../wiring/vault-core.ts';
import { watchOwnRootKeys } from './own-root-key-log.ts';
import type { ServerStart } from './server-start.ts';

/** The foundation of a server: database, keys, the feed of changes, and the directory of callers. */
export interface ServerBase {
  readonly tracer: Tracer;
  readonly core: VaultCore;
  readonly feed: ChangeFeed;
  readonly directory: CredentialDirectory;
}

export async function openBase(
  { config, logger, timeLimitSeconds }: ServerStart,
  opened: AsyncDisposableStack,
): Promise<ServerBase> {
  // The tracer is closed last, so that work that ends while the server stops is traced too.
  const tracer = opened.adopt(await openTracer(config.traces, { role: 'serve', logger }), (it) => it.close());
  const database = withinRequests(config.database, timeLimitSeconds);
  const core = opened.adopt(await VaultCore.open({ ...config, database }, tracer), (it) => it.close());
  const origin = core.origins.of(config.database.url);
  const feed = opened.adopt(new ChangeFeed(config.database.url, markOf(core.rootKeys), origin), (it) => it.stop());
  const directory = opened.adopt(new CredentialDirectory({ ...core, feed }), (it) => it.close());
  watchOutages(core, feed, logger);
  followKeys(core, feed);
  watchKeyService(core, logger);
  await watchOwnRootKeys(core, logger);
  return { tracer, core, feed, directory };
}

/**
 * Logs database outages. The database is queried even if the vault is idle, so that the log shows when it became
 * unreachable and when it came back.
 */
function watchOutages({ database }: VaultCore, feed: ChangeFeed, logger: Logger): void {
  new OutageLog(logger).watch(database);
  const askDatabase = () => void requireAnswer(database).catch(() => undefined);
  feed.onLost(askDatabase);
  feed.onGap(askDatabase);
}

/** Reloads keys that another process has changed. */
function followKeys({ keyring }: VaultCore, feed: ChangeFeed): void {
  feed.onGap(() => keyring.forgetAll());
  feed.onChange((table, id) => {
    if (table === 'tenant_keys') keyring.forget(id);
  });
}

/**
 * Logs once that keys cannot be loaded, with the time for which those that are loaded are used, and once that they can.
 */
function watchKeyService({ keyring, rootKeys }: VaultCore, logger: Logger): void {
  keyring.onOutage((outage) => {
    const fields = { root_key: rootKeys.ids.join(' and ') };
    if (outage === undefined) return logger.warn('key service back', fields);
    const { error, endsInMs } = outage;
    const rest = endsInMs === undefined ? {} : { seconds: Math.round(endsInMs / 1_000) };
    logger.error('key service unavailable, loaded keys are used until they end', {
      ...fields,
      ...rest,
      error: nameOf(error),
      ...(error instanceof OperatorError ? { advice: error.message } : {}),
    });
  });
}
