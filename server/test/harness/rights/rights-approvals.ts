import type { Person } from '../four-eyes.ts';
import type { Rights } from './rights-model.ts';
import type { Caller, RightsWorld } from './rights-world.ts';

/** Rights that were requested and are not yet in force. */
interface Pending {
  readonly id: string;
  readonly caller: Caller;
  readonly rights: Rights;
  readonly basis: Rights;
  /** Undefined for a management key, whose holder is unknown. */
  readonly requester: Person | undefined;
  readonly votes: Set<Person>;
}
const pending = new WeakMap<RightsWorld, Pending[]>();

/** Notes a request, which replaces earlier ones for the same caller. */
export function notePending(world: RightsWorld, one: Pending): void {
  const others = (pending.get(world) ?? []).filter(({ caller }) => caller !== one.caller);
  pending.set(world, [...others, one]);
}

/** Ends all requests of a world, because a tenant may have only 50 pending requests of its applications. */
export async function endPending(world: RightsWorld): Promise<void> {
  pending.delete(world);
  await world.vault.database.owner.query('delete from approval_requests where tenant_id = $1 and outcome is null', [
    world.tenant.id,
  ]);
}

interface Change {
  readonly rights: Rights;
  readonly answer: { readonly status: number; readonly body: unknown };
  readonly requester: Person | undefined;
}

/** Records a change of rights, which takes effect immediately or after enough approvals. */
export async function noteChange(
  world: RightsWorld,
  caller: Caller,
  { rights, answer, requester }: Change,
): Promise<void> {
  const { holder } = caller;
  if (answer.status === 200) {
    if (world.approvers !== undefined) world.requireNotWider(holder, rights);
    holder.rights = rights;
    for (const one of pending.get(world) ?? []) if (one.caller === caller) drop(world, one);
  } else if (answer.status === 202) {
    const { id } = (answer.body as { approval: { id: string } }).approval;
    notePending(world, { id, caller, rights, basis: holder.rights, requester, votes: new Set() });
  }
  await world.settle();
}

/** Changes rights as a member. One other member has to approve. */
export async function changeRightsAsMember(world: RightsWorld): Promise<void> {
  const { approvers, random } = world;
  const caller = world.anyCaller();
  const { holder, applicationId } = caller;
  if (approvers === undefined || applicationId === undefined || holder.isGone || holder.kind === 'session') return;
  const requester = random.pick(approvers.people);
  const rights = world.randomRights(holder.kind);
  const answer = await approvers.by(requester, 'PUT', `/applications/${applicationId}`, {
    name: holder.name,
    ...rights,
  });
  world.count(`member PUT ${answer.status}`);
  await noteChange(world, caller, { rights, answer, requester });
}

/**
 * Approves a request as a random person. An approval counts only once per person and never for the requester, and only
 * while the rights that it was based on are unchanged.
 */
export async function decide(world: RightsWorld): Promise<void> {
  const { approvers, random } = world;
  const open = pending.get(world) ?? [];
  if (approvers === undefined || open.length === 0) return;
  const one = random.pick(open);
  const person = random.pick(approvers.people);
  const { status } = await approvers.decide(person, 'approve', one.id);
  const isCounted = person !== one.requester && !one.votes.has(person) && isStillBased(one);
  if ((status === 303) !== isCounted)
    world.differences.push(
      `${person.email} approved ${one.caller.holder.name} with ${status} instead of ${isCounted ? 303 : 403}`,
    );
  if (!isStillBased(one)) drop(world, one);
  if (!isCounted) return;
  one.votes.add(person);
  world.count('approved');
  if (one.votes.size < (one.requester === undefined ? 2 : 1)) return;
  one.caller.holder.rights = one.rights;
  drop(world, one);
  await world.settle();
}

function isStillBased({ caller, basis }: Pending): boolean {
  return !caller.holder.isGone && caller.holder.rights === basis;
}

function drop(world: RightsWorld, gone: Pending): void {
  pending.set(
    world,
    (pending.get(world) ?? []).filter((one) => one !== gone),
  );
}
