import { membersOf } from '../../core/objects/members-of.ts';
import { findFreePort } from '../../platform/local-postgres/free-port.ts';
import { DemoShop, findClientScript } from '../../platform/loopback/demo-shop.ts';
import { LoopbackClient } from '../../platform/loopback/loopback-client.ts';
import { readShopFiles } from '../../platform/loopback/shop-files.ts';
import type { DevelopmentTenant, ShopApplication } from '../seed/development-tenant.ts';
import { untilPortsAreFree } from './until-ports-are-free.ts';

interface ShopPlaces {
  readonly vaultUrl: string;
  readonly elementsUrl: string;
  readonly echoUrl: string;
}

/** Opens the demonstration shop of a tenant. Returns undefined in a checkout that has not been built. */
export async function openDevelopmentShop(
  { vaultUrl, elementsUrl, echoUrl }: ShopPlaces,
  tenant: DevelopmentTenant,
): Promise<{ shop: DemoShop; application: ShopApplication } | undefined> {
  const files = readShopFiles();
  const client = files === undefined ? undefined : await findClientScript(elementsUrl);
  if (files === undefined || client === undefined) return undefined;
  return untilPortsAreFree(async () => {
    const port = await findFreePort();
    const application = await prepareApplication(vaultUrl, tenant, `http://localhost:${port}`);
    const keys = { ...tenant.keys, public: application.key };
    const shop = await DemoShop.start({ port, files, client, vaultUrl, elementsUrl, providerUrl: echoUrl, keys });
    return { shop, application };
  });
}

/**
 * Creates or updates the application of the shop. The shop has its own application, because a list of origins on the
 * one that developers use would block their pages.
 */
async function prepareApplication(
  vaultUrl: string,
  tenant: DevelopmentTenant,
  origin: string,
): Promise<ShopApplication> {
  const client = new LoopbackClient(vaultUrl);
  const ask = (method: string, path: string, body?: object) => {
    const headers = { 'bt-api-key': tenant.keys.management };
    return client.ask({ method, path, headers, body });
  };
  try {
    const known = tenant.shop;
    const found = known === undefined ? undefined : await ask('GET', `/applications/${known.id}`);
    if (known === undefined || found?.status !== 200) {
      const wanted = { name: 'Shop', type: 'public', permissions: [], allowed_origins: [origin] };
      const { id, key } = membersOf((await ask('POST', '/applications', wanted)).body);
      return { id: String(id), key: String(key), origin };
    }
    const { name, permissions, rules, expires_at, allowed_origins } = membersOf(found.body);
    // The port differs in each run. Origins that a developer has added are kept.
    const others = (Array.isArray(allowed_origins) ? allowed_origins : []).filter((other) => other !== known.origin);
    const settings = { name, permissions, rules, expires_at, allowed_origins: [...others, origin] };
    const { status } = await ask('PUT', `/applications/${known.id}`, settings);
    if (status !== 200) throw new Error(`The application of the shop was not changed: status ${status}.`);
    return { ...known, origin };
  } finally {
    client.close();
  }
}
