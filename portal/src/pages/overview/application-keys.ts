import type { Schemas } from '../../api/client';

type Application = Schemas['Application'];

export interface KeyOfApplication {
  readonly application: Application;
  readonly key: Application['keys'][number];
}

/** Lists all keys, oldest first. */
export function listKeys(applications: readonly Application[]): KeyOfApplication[] {
  return applications
    .flatMap((application) => application.keys.map((key) => ({ application, key })))
    .toSorted((a, b) => a.key.created_at.localeCompare(b.key.created_at));
}
