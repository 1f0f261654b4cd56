import { writeFile } from 'node:fs/promises';
import { createDashboard } from './dashboard.ts';

/* Writes strongroom.json, which Grafana imports: `npm run dashboard`. */
await writeFile(new URL('strongroom.json', import.meta.url), `${JSON.stringify(createDashboard(), undefined, 2)}\n`);
