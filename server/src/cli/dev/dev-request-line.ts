import { toOneLine } from '../../core/text/one-line.ts';
import type { SeenRequest } from '../../http/requests/seen-request.ts';

/** Formats one request as a line: `12:31:04  GET    /tokens/example-card  200  4 ms  Private`. */
export function renderRequestLine(seen: SeenRequest, application: string | undefined, at: Date): string {
  const time = at.toTimeString().slice(0, 8);
  const end = seen.status === undefined ? 'client disconnected' : `${seen.status}  ${Math.round(seen.durationMs)} ms`;
  const who = describeCaller(seen.caller, application);
  return toOneLine(`${time}  ${seen.method.padEnd(6)} ${seen.path}  ${end}  ${who}`);
}

function describeCaller(caller: SeenRequest['caller'], application: string | undefined): string {
  if (caller === undefined) return 'no key';
  if ('userId' in caller) return 'portal';
  return `${application ?? 'unknown application'}${caller.session === undefined ? '' : ' (session)'}`;
}
