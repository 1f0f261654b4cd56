/** Calls `ask` for every number with a limited number of concurrent requests. */
export async function askAll(
  { clients, requests }: { readonly clients: number; readonly requests: number },
  ask: (number: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < requests) {
      next += 1;
      await ask(next - 1);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}
