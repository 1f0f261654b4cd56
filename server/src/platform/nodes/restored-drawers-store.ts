import { OwnerLink } from '../database/owner-link.ts';
import { DrawerSet } from './drawers.ts';
import { readNodeStateIn } from './node-store.ts';

/**
 * Hides the copies in a restored dump that are not the tokens of a vault, as the live database hid them: those that were still being
 * filled, and those whose drawers another database holds. A token in a drawer that had left and not yet arrived is in no other dump,
 * so it counts here. A dump that holds all drawers has no copies, and is left as it is.
 */
export async function hideCopies(ownerUrl: string): Promise<void> {
  const options = { url: ownerUrl, variable: 'STRONGROOM_DATABASE_OWNER_URL', applicationName: 'strongroom backup' };
  await OwnerLink.with(options, (link) =>
    link.transaction(async (tx) => {
      const { held } = await readNodeStateIn(tx);
      const rows = await tx.query<{ drawers: Buffer }>({
        text: `select drawers from drawer_moves where state = 'leaving'`,
      });
      const own = rows.reduce((all, { drawers }) => all.with(new DrawerSet(drawers)), held);
      await tx.query({ text: 'update held_drawers set held = $1', values: [own.toBytes()] });
      if (!own.equals(DrawerSet.all())) await tx.query({ text: 'select guard_drawers()' });
    }),
  );
}
