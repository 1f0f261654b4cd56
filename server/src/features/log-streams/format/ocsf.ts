import { detailsOf } from '../../../core/events/event-catalog.ts';
import { lineIdOf, lineTimeOf, type RecordLine, type StreamLine } from '../model/stream-line.ts';

/** The version of the Open Cybersecurity Schema Framework that events follow. */
const schemaVersion = '1.3.0';

const apiActivity = { category_uid: 6, class_uid: 6_003 };
const authentication = { category_uid: 3, class_uid: 3_002 };
const detectionFinding = { category_uid: 2, class_uid: 2_004 };

/** The activities of API Activity. Any other operation is 99, and named in `activity_name`. */
const activities: ReadonlyMap<string, number> = new Map([
  ['create', 1],
  ['read', 2],
  ['search', 2],
  ['update', 3],
  ['configure', 3],
  ['delete', 4],
]);
const signIns: ReadonlyMap<string, number> = new Map([
  ['sign_in', 1],
  ['use_recovery_code', 1],
  ['sign_out', 2],
]);
const otherActivity = 99;

const severity = { informational: 1, medium: 3 };

/**
 * Returns a line as an event of the schema: Detection Finding for alerts, Authentication for sign-ins, and API Activity
 * for everything else. The line itself is in `unmapped`, so that the log can be verified from these events.
 */
export function toOcsf(line: StreamLine): object {
  const common = {
    time: lineTimeOf(line),
    metadata: {
      version: schemaVersion,
      uid: lineIdOf(line),
      tenant_uid: line.tenant_id,
      product: { name: 'Strongroom', vendor_name: 'Strongroom' },
      ...(line.kind === 'record' && line.request_id !== null ? { correlation_uid: line.request_id } : {}),
    },
    unmapped: { strongroom: line },
  };
  if (line.kind === 'checkpoint') return { ...common, ...ofCheckpoint() };
  if (line.operation === 'alert') return { ...common, ...ofAlert(line) };
  const signIn = signIns.get(line.operation);
  return { ...common, ...(signIn === undefined ? ofOperation(line) : ofSignIn(line, signIn)) };
}

function ofOperation(line: RecordLine): object {
  const activity = activities.get(line.operation) ?? otherActivity;
  return {
    ...classOf(apiActivity, activity, line.operation),
    ...resultOf(line),
    api: {
      operation: `${line.entity_type}:${line.operation}`,
      ...(line.request_id === null ? {} : { request: { uid: line.request_id } }),
    },
    actor: actorOf(line),
    src_endpoint: sourceOf(line),
    ...(line.destination === null ? {} : { dst_endpoint: { hostname: line.destination } }),
    resources: [{ uid: line.entity_id, type: line.entity_type }],
  };
}

function ofSignIn(line: RecordLine, activity: number): object {
  return {
    ...classOf(authentication, activity, activity === 1 ? 'Logon' : 'Logoff'),
    ...resultOf(line),
    user: { uid: line.actor_id ?? line.entity_id, type_id: 1 },
    actor: actorOf(line),
    src_endpoint: sourceOf(line),
    service: { name: 'Strongroom' },
  };
}

function ofAlert(line: RecordLine): object {
  const { rule, count } = detailsOf(line.details);
  const title = typeof rule === 'string' ? rule : 'alert';
  return {
    ...classOf(detectionFinding, 1, 'Create'),
    severity_id: severity.medium,
    status_id: 1,
    finding_info: { uid: line.id, title, types: [title], created_time: line.created_at },
    resources: [{ uid: line.entity_id, type: line.entity_type }],
    ...(typeof count === 'number' ? { count } : {}),
  };
}

function ofCheckpoint(): object {
  return {
    ...classOf(apiActivity, otherActivity, 'checkpoint'),
    severity_id: severity.informational,
    status_id: 1,
    api: { operation: 'log:checkpoint' },
    actor: { app_name: 'Strongroom' },
    src_endpoint: { name: 'strongroom' },
  };
}

function classOf(of: { readonly class_uid: number }, activity: number, name: string): object {
  return { ...of, activity_id: activity, activity_name: name, type_uid: of.class_uid * 100 + activity };
}

/** Denied attempts are of low severity at least, because somebody may want to count them. */
function resultOf({ outcome }: RecordLine): object {
  const isSuccess = outcome === 'success';
  const isFailure = outcome === 'denied' || outcome === 'missed' || outcome === 'failed';
  return {
    severity_id: outcome === 'denied' ? severity.informational + 1 : severity.informational,
    status_id: isSuccess ? 1 : isFailure ? 2 : otherActivity,
    status: outcome,
  };
}

function actorOf({ actor_id: uid, actor_type: type, key_id: key }: RecordLine): object {
  if (uid === null) return { app_name: 'Strongroom' };
  if (type === 'user') return { user: { uid, type_id: 1 } };
  return { app_uid: uid, ...(key === null ? {} : { session: { credential_uid: key } }) };
}

function sourceOf({ source_address: ip }: RecordLine): object {
  return ip === null ? { name: 'strongroom' } : { ip };
}
