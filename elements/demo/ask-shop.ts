/** Calls the shop's own server. The server never receives any part of a card, only its token. */
export async function askShop<Answer>(path: string, body: object): Promise<Answer> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The shop's own server sent the response.
  const answer = (await response.json()) as Answer & { readonly detail?: string };
  if (!response.ok) throw new Error(answer.detail ?? `The shop responded with ${response.status}.`);
  return answer;
}
