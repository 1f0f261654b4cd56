/** Stops waiting for work that takes too long. The work itself continues, and its result is ignored. */
export function withinTime<T>(work: Promise<T>, milliseconds: number, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
