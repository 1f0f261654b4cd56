// A PostgreSQL for the guides, so that commands find the database of the vault that they are run against.
// Says where it is in one line of JSON, and stays until it is told to stop.
import { LocalPostgres } from '../server/src/platform/local-postgres/local-postgres.ts';

const postgres = await LocalPostgres.start({ password: crypto.randomUUID(), settings: { fsync: 'off' } });
process.stdout.write(`${JSON.stringify({ url: postgres.url })}\n`);
// Without something to wait for, the process would end here.
const waiting = setInterval(() => undefined, 60_000);
process.once('SIGTERM', async () => {
  clearInterval(waiting);
  await postgres.stop();
});
