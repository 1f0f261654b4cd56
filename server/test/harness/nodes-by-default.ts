/** How many nodes hold the tokens of test vaults: `STRONGROOM_TEST_NODES=2 npm test` runs all tests of the API on two. */
export const nodesByDefault = Number(process.env['STRONGROOM_TEST_NODES'] ?? 0);
