import { toError } from '../../core/errors/thrown.ts';
import { membersOf } from '../../core/objects/members-of.ts';
import { frameHeaders } from '../../features/elements/index.ts';
import { integrityOf } from '../../platform/keyring/sealing/integrity.ts';
import { askOnce, type ServiceResponse } from '../../platform/outbound/operator-service.ts';
import type { Finding } from './examination.ts';

const name = 'card fields';
const traceId = 'bt-trace-id';

type Headers = Readonly<Record<string, string>>;

/** The headers that a browser needs to load a file into the page of a shop. */
const fileHeaders: Headers = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
};

/** Loads the card fields from the address that browsers use, and checks for changes made by a proxy in between. */
export async function examineElements(url: string): Promise<Finding> {
  const get = (path: string) => askOnce(`${url}${path}`, { method: 'GET' });
  try {
    const problems = await findProblems(get);
    if (problems.length > 0) return { name, isOk: false, detail: problems.join(' ') };
    return { name, isOk: true, detail: `${url} serves them unchanged` };
  } catch (error) {
    // The vault may not have been started yet.
    const detail = `${url} cannot be reached (${toError(error).message}). Run this again while the vault serves, from where that address can be resolved.`;
    return { name, isOk: true, isWarning: true, detail };
  }
}

async function findProblems(get: (path: string) => Promise<ServiceResponse>): Promise<string[]> {
  const manifest = await get('/elements/manifest.json');
  const listed = readManifest(manifest);
  if (listed === undefined) return [explainManifest(manifest)];
  const problems = findHeaderProblems('manifest.json', manifest, { ...fileHeaders, 'cache-control': 'no-cache' });
  for (const [file, integrity] of Object.entries(listed.files)) {
    const answer = await get(`/elements/${listed.version}/${file}`);
    problems.push(...findFileProblems(file, answer, integrity));
  }
  const frames = [await get('/elements/field'), await get('/elements/field')];
  return [...problems, ...findFrameProblems(frames)];
}

function readManifest({
  status,
  body,
}: ServiceResponse): { version: string; files: Record<string, unknown> } | undefined {
  if (status !== 200) return undefined;
  try {
    const { version, files } = membersOf(JSON.parse(body));
    return typeof version === 'string' ? { version, files: { ...membersOf(files) } } : undefined;
  } catch {
    return undefined;
  }
}

function explainManifest({ status }: ServiceResponse): string {
  if (status === 503) return 'They have not been built. Run `npm run build` and start the vault again.';
  return `/elements/manifest.json returns ${status} instead of the manifest. Let the proxy pass on the Host header unchanged, or send this origin to STRONGROOM_ELEMENTS_PORT, and set the same STRONGROOM_ELEMENTS_URL for every server.`;
}

function findFileProblems(file: string, answer: ServiceResponse, integrity: unknown): string[] {
  if (answer.status !== 200)
    return [`${file} returns ${answer.status}. Let the proxy pass on every path, and run one version of the vault.`];
  if (integrityOf(Buffer.from(answer.body)) !== integrity)
    return [`${file} is not the file in the manifest. Turn off what rewrites scripts and styles in the proxy.`];
  return findHeaderProblems(file, answer, fileHeaders);
}

function findFrameProblems(frames: readonly ServiceResponse[]): string[] {
  const [first, second] = frames;
  if (first === undefined || first.status !== 200)
    return [`The frame document returns ${first?.status}. Let the proxy pass on every path.`];
  const problems = findHeaderProblems('The frame document', first, frameHeaders([]));
  if (first.headers['x-frame-options'] !== undefined)
    problems.push('The frame document has an X-Frame-Options header, which hides fields. Remove it in the proxy.');
  // The vault gives every response its own id.
  if (first.headers[traceId] === undefined || first.headers[traceId] === second?.headers[traceId])
    problems.push('The frame document comes from a cache. Let the proxy cache nothing that says no-store.');
  return problems;
}

/** Finds headers that were dropped or changed, and cookies that were added. */
function findHeaderProblems(what: string, { headers }: ServiceResponse, expected: Headers): string[] {
  const problems = Object.entries(expected).flatMap(([header, value]) => {
    const found = headers[header];
    if (found === value) return [];
    return [
      found === undefined
        ? `${what} has lost its ${header} header. Let the proxy pass it on.`
        : `${what} has another ${header} header than the vault sends. Let the proxy neither set nor extend it.`,
    ];
  });
  if (headers['set-cookie'] !== undefined)
    problems.push(`${what} sets a cookie. Turn off cookies of the proxy for this origin.`);
  return problems;
}
