import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { createAdminEdge, type ReadinessCheck } from '../../src/http/edge/admin-edge.ts';
import { Metrics } from '../../src/platform/telemetry/metrics.ts';
import { Program } from '../harness/program.ts';
import { TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
beforeAll(async () => {
  vault = await TestVault.start();
});
afterEach(() => Program.killAll());
afterAll(() => vault.stop());

const portOf = (url: string) => new URL(url).port;

describe('strongroom healthcheck', () => {
  it.each([
    ['serve', 'STRONGROOM_ADMIN_PORT'],
    ['work', 'STRONGROOM_WORKER_ADMIN_PORT'],
  ])('of a %s that is ready exits with 0 and needs no other settings', async (role, variable) => {
    const settings = { [variable]: portOf(vault.server.adminUrl), STRONGROOM_ADMIN_HOST: '0.0.0.0' };
    expect(await Program.run(['healthcheck', role], settings)).toEqual({ code: 0, stdout: 'Ready.\n', stderr: '' });
  });

  it('names what is not ready, and exits with 1', async () => {
    const broken: ReadinessCheck = { name: 'database', check: () => Promise.reject(new Error('gone')) };
    const admin = createAdminEdge({ metrics: new Metrics(), checks: [broken] });
    const url = await admin.listen({ host: '127.0.0.1', port: 0 });
    const { code, stdout } = await Program.run(['healthcheck', '--json'], {
      STRONGROOM_ADMIN_PORT: portOf(url),
    });
    expect({ code, result: JSON.parse(stdout) as unknown }).toEqual({
      code: 1,
      result: { ready: false, detail: 'unavailable: database' },
    });
    await admin.close();
  });

  it('says that nothing is running there, and exits with 1', async () => {
    const port = await findFreePort();
    const { code, stdout } = await Program.run(['healthcheck'], { STRONGROOM_ADMIN_PORT: String(port) });
    expect(code).toBe(1);
    expect(stdout).toBe(`Not ready: No response from 127.0.0.1:${port} (ECONNREFUSED). Is it running?\n`);
  });
});
