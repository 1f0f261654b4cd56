import type { RequestWatcher } from '../../http/requests/seen-request.ts';
import type { DevelopmentConfig } from '../../platform/config/config.ts';

export interface DevelopmentOptions extends DevelopmentConfig {
  readonly port: number;
  readonly dataDirectory: string | undefined;
  /** The name of the database in `database`, as its user has given it. */
  readonly databaseName: string | undefined;
  /** Whether a card is stored to try things on. */
  readonly hasExample: boolean;
  /** Whether a new tenant gets applications, tokens and a month of log. */
  readonly isSeeded: boolean;
  readonly report: (step: string) => void;
  readonly watch: RequestWatcher;
}

/** Where a vault for development has its data, and with that what becomes of it. */
export type DevelopmentStorage =
  | { readonly kind: 'deleted' }
  | { readonly kind: 'kept'; readonly directory: string }
  | { readonly kind: 'foreign'; readonly database: string };
