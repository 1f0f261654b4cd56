/** Returns a response header for the API description. */
export function toHeader(type: 'integer' | 'string', description: string): object {
  return { schema: { type }, description };
}
