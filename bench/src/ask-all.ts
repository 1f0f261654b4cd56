/** Does `ask` for every number, so many at a time. */
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
