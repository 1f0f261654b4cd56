import type { DevelopmentEdge } from '../../http/edge/edge.ts';
import type { ServerConfig } from '../../platform/config/config.ts';
import type { PasswordHasher } from '../../platform/keyring/sign-in/password-hasher.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Clock } from '../../platform/waiting/time-budget.ts';

/** What a server is started with. */
export interface ServerStart {
  readonly config: ServerConfig;
  /** The whole time of a request. */
  readonly timeLimitSeconds: number;
  readonly logger: Logger;
  readonly development: DevelopmentEdge | undefined;
  /** What searches of the log are timed by. */
  readonly clock: Clock;
  readonly passwordHasher: PasswordHasher;
  /** Where the built card fields are. */
  readonly elementsFolder: string;
}
