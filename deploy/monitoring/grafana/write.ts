import { writeFile } from 'node:fs/promises';
import { createDashboard } from './dashboard.ts';

/* Writes strongroom.json, which Grafana can import. Run it with `npm run dashboard`. */
await writeFile(new URL('strongroom.json', import.meta.url), `${JSON.stringify(createDashboard(), undefined, 2)}\n`);
