import { membersOf } from '../../../core/objects/members-of.ts';
import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { OperatorService, ServiceResponse, ServiceCall } from '../../outbound/operator-service.ts';
import { keyLength } from './root-key.ts';

/**
 * Thrown if the key service is unavailable, rejects a request or is misconfigured. The message is one line that says
 * what to do.
 */
export class KeyServiceError extends OperatorError {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'KeyServiceError';
  }
}

/**
 * Decodes the key in a response. The text of the key stays in memory until it is garbage collected, which is
 * unavoidable over HTTP.
 */
export function toKey(base64: string | undefined, service: string): Buffer {
  const key = Buffer.from(base64 ?? '', 'base64');
  if (key.length === keyLength) return key;
  throw new KeyServiceError(
    `The response from ${service} does not contain a 256-bit key. Check any proxy between it and this server.`,
  );
}

/** Sends a request. Errors contain nothing from the request. */
export async function askKeyService(
  service: OperatorService,
  call: ServiceCall & { readonly path: string; readonly name: string },
): Promise<ServiceResponse> {
  try {
    return await service.ask(call.path, call);
  } catch (error) {
    throw new KeyServiceError(
      `${call.name} cannot be reached. Check its address, its certificate and the network.`,
      error,
    );
  }
}

/** Returns the fields of a JSON object. Returns no fields for any other text, such as an error page from a proxy. */
export function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return {};
  }
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
