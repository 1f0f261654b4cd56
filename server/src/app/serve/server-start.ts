import type { DevelopmentEdge } from '../../http/edge/edge.ts';
import type { ServerConfig } from '../../platform/config/config.ts';
import type { PasswordHasher } from '../../platform/keyring/sign-in/password-hasher.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Clock } from '../../platform/waiting/time-budget.ts';

/** The parameters of a server start. */
export interface ServerStart {
  readonly config: ServerConfig;
  /** The time limit for a whole request. */
  readonly timeLimitSeconds: number;
  readonly logger: Logger;
  readonly development: DevelopmentEdge | undefined;
  /** The clock that times searches of the log. */
  readonly clock: Clock;
  readonly passwordHasher: PasswordHasher;
  /** The folder of the built card fields. */
  readonly elementsFolder: string;
}
