import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, engineNames, startEngine } from '../harness/engines/engine.ts';
import { Program } from '../harness/program.ts';
import type { Ready, Visit } from './journey.ts';
import { portalJourneys } from './portal-journeys.ts';
import { shopJourneys } from './shop-journeys.ts';

const journeys = [...shopJourneys, ...portalJourneys];
/** A folder for pictures of the last page of each journey. None are taken unless it is set. */
const pictures = process.env['SCREENSHOT_DIRECTORY'];

describe.each(engineNames)('somebody with %s', (name) => {
  let engine: Engine;
  let visit: Visit;
  beforeAll(async () => {
    const dev = Program.start(['dev', '--port', '0', '--json']);
    const [started, ready] = await Promise.all([startEngine(name), dev.ready<Ready>()]);
    engine = started;
    visit = { engine: name, page: engine.page, ready };
  });
  afterAll(async () => {
    await engine.stop();
    await Program.killAll();
  });
  afterEach(async ({ task }) => {
    if (pictures === undefined) return;
    const file = `${name}-${task.name.replaceAll(/[^a-z]+/g, '-')}.png`;
    await writeFile(path.join(pictures, file), await engine.page.photograph());
  });

  it.each(journeys)('$name', async ({ run, found, differences }) => {
    expect(await run(visit)).toEqual(differences?.[name] === undefined ? found : differences[name].found);
  });
});
