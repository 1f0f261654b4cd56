import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, engineNames, startEngine } from '../harness/engines/engine.ts';
import { ShopSite } from '../harness/shop-site.ts';
import { fieldJourneys } from './field-journeys.ts';
import { type FieldVisit, servePages } from './field-visit.ts';
import { hostileJourneys } from './hostile-journeys.ts';

const journeys = [...fieldJourneys, ...hostileJourneys];
const messages = Number(process.env['ELEMENTS_MESSAGES'] ?? 500);

describe.each(engineNames)('card fields in %s', (name) => {
  let engine: Engine;
  let visit: FieldVisit;
  beforeAll(async () => {
    const [started, parts] = await Promise.all([startEngine(name), ShopSite.build()]);
    engine = started;
    visit = { engine: name, page: engine.page, site: new ShopSite(parts) };
    servePages(visit.site);
  });
  afterAll(async () => {
    await engine.stop();
    await visit.site.stop();
  });

  it.each(journeys)(
    '$name',
    async ({ run, found, differences }) => {
      expect(await run(visit)).toEqual(differences?.[name] === undefined ? found : differences[name].found);
    },
    60_000 + messages * 30,
  );
});
