import type { Database } from '../database/database.ts';

/** A database that holds tokens. */
export interface VaultNode {
  readonly name: string;
  readonly database: Database;
}
