import { rejectionsName } from '../../platform/rate-limit/rejected-clients.ts';
import { askDegraded } from '../operations/ask-readiness.ts';
import type { Finding } from './examination.ts';

/**
 * Asks the server of this machine which clients reached a rate limit lately. Returns undefined if none did, and if no
 * server runs here.
 */
export async function examineRejections(address: {
  readonly host: string;
  readonly port: number;
}): Promise<Finding | undefined> {
  const found = (await askDegraded(address)).find(({ name }) => name === rejectionsName);
  if (found === undefined) return undefined;
  return { name: rejectionsName, isOk: true, isWarning: true, detail: found.detail, remedy: found.remedy };
}
