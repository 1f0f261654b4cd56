import type { RequestWatcher } from '../../http/requests/seen-request.ts';
import type { DevelopmentConfig } from '../../platform/config/config.ts';

export interface DevelopmentOptions extends DevelopmentConfig {
  readonly port: number;
  readonly dataDirectory: string | undefined;
  /** The name of the database in `database`, as given by the user. */
  readonly databaseName: string | undefined;
  /** True if an example card is stored. */
  readonly hasExample: boolean;
  /** True if a new tenant gets applications, tokens and an audit log of one month. */
  readonly isSeeded: boolean;
  readonly report: (step: string) => void;
  readonly watch: RequestWatcher;
}

/** The storage of a development vault, which determines what happens to the data on exit. */
export type DevelopmentStorage =
  | { readonly kind: 'deleted' }
  | { readonly kind: 'kept'; readonly directory: string }
  | { readonly kind: 'foreign'; readonly database: string };
