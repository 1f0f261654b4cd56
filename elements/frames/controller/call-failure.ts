import type { CallOutcome } from '../../protocol/messages.ts';
import { isRecord } from '../../protocol/parse.ts';
import type { VaultResponse } from './vault-api.ts';

/**
 * Converts an error response. An error of the vault never contains a value, so it is passed on. If a destination sent
 * the error, only its status is passed on.
 */
export function toFailure({ status, headers, body }: VaultResponse): CallOutcome {
  const isOfDestination = headers.has('bt-proxy-destination-status');
  const problem = isOfDestination || !isRecord(body) ? undefined : body;
  const message =
    typeof problem?.['detail'] === 'string' ? problem['detail'] : `The request failed with status ${status}.`;
  return { api: { status, data: problem, message } };
}
