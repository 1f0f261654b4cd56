export function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
