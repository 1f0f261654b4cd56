/** A limit as a sentence names it. */
export function inMebibytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MiB`;
}
