/** Returns a route that calls the vault with what a page has sent. */
export const respond = (handler) => async (request) => {
  try {
    return Response.json(await handler(await request.json()));
  } catch (error) {
    console.error(error.message);
    return Response.json({ detail: 'The vault is not available.' }, { status: 502 });
  }
};
