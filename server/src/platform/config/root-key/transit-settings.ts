import type { TransitOptions } from '../../keyring/kms/transit/transit-client.ts';
import type { TransitSignIn } from '../../keyring/kms/transit/transit-token.ts';
import { always, group, optionalSetting, setting, settingsOf, settingWithDefault } from '../reading.ts';
import { rootKeyReading } from './root-key-reading.ts';
import type { Reading } from '../setting.ts';
import {
  isServiceUrl,
  parseCertificates,
  parseHeaderSecret,
  parseText,
  textLike,
  urlWhere,
} from '../setting-parsers.ts';

const parseMount = textLike(/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/);

const token = setting('STRONGROOM_TRANSIT_TOKEN', parseHeaderSecret, {
  expectation:
    'a token that may use the key; not needed with another way to sign in, or with a local agent that adds its own',
  example: '"$(cat token)"',
  secret: 'credential',
});

const kubernetesRole = setting('STRONGROOM_TRANSIT_KUBERNETES_ROLE', textLike(/^[\w.-]{1,128}$/), {
  expectation: 'the role with which to sign in by the service account of the pod',
  example: 'strongroom',
});

const roleId = setting('STRONGROOM_TRANSIT_APPROLE_ID', textLike(/^[\w.-]{1,128}$/), {
  expectation: 'the role id with which to sign in by AppRole',
  example: '59d6d1ca-47bb-4e7e-a40b-8be3bc5a0ba8',
});

type SignInOf<Kind> = Extract<TransitSignIn, { readonly kind: Kind }>;

const kubernetes = group<SignInOf<'kubernetes'>>({
  kind: always('kubernetes'),
  role: kubernetesRole,
  mount: settingWithDefault('STRONGROOM_TRANSIT_KUBERNETES_MOUNT', parseMount, 'kubernetes', {
    expectation: 'the path at which that sign-in method is mounted',
  }),
  tokenFile: settingWithDefault(
    'STRONGROOM_TRANSIT_KUBERNETES_TOKEN_FILE',
    parseText,
    '/var/run/secrets/kubernetes.io/serviceaccount/token',
    { expectation: 'the path of the token of the service account' },
  ),
});

const approle = group<SignInOf<'approle'>>({
  kind: always('approle'),
  roleId,
  secretId: setting('STRONGROOM_TRANSIT_APPROLE_SECRET', parseHeaderSecret, {
    expectation: 'the secret id that belongs to it, valid for more than one sign-in',
    example: '"$(cat secret-id)"',
    secret: 'credential',
  }),
  mount: settingWithDefault('STRONGROOM_TRANSIT_APPROLE_MOUNT', parseMount, 'approle', {
    expectation: 'the path at which that sign-in method is mounted',
  }),
});

const ways = [group<SignInOf<'token'>>({ kind: always('token'), token }), kubernetes, approle] as const;

/** The way to sign in. If none is configured, an agent on this machine adds its token. */
const signIn: Reading<TransitSignIn> = {
  settings: settingsOf(ways),
  read: (environment) => {
    const primaries = [token, kubernetesRole, roleId];
    const [first, second] = primaries.filter((one) => one.isSet(environment));
    for (const {
      settings: [primary, ...others],
    } of ways) {
      const orphan = others.find((one) => one.isSet(environment));
      const isOrphan = orphan !== undefined && primary?.isSet(environment) === false;
      if (isOrphan) throw orphan.refusal(`has no effect without ${primary.variable}`);
    }
    if (first === undefined) return { kind: 'agent' };
    if (second !== undefined) throw second.refusal(`cannot be combined with ${first.variable}`);
    return (first === token ? ways[0] : first === kubernetesRole ? kubernetes : approle).read(environment);
  },
};

/** A root key in Vault or OpenBao. */
export const transitKey = rootKeyReading(
  'transit',
  group<TransitOptions>({
    url: setting('STRONGROOM_TRANSIT_URL', urlWhere(isServiceUrl), {
      expectation: 'the HTTPS address of a Vault or OpenBao server; HTTP only on this machine',
      example: 'https://vault.internal:8200',
    }),
    key: setting('STRONGROOM_TRANSIT_KEY', textLike(/^[\w-][\w.-]{0,127}$/), {
      expectation: 'the name of a key of type aes256-gcm96',
      example: 'strongroom',
    }),
    mount: settingWithDefault('STRONGROOM_TRANSIT_MOUNT', parseMount, 'transit', {
      expectation: 'the path at which the Transit engine is mounted',
    }),
    signIn,
    namespace: optionalSetting('STRONGROOM_TRANSIT_NAMESPACE', textLike(/^[\w.-]+(\/[\w.-]+)*\/?$/), {
      expectation: 'the namespace of the Transit engine',
      example: 'payments',
    }),
    authority: optionalSetting('STRONGROOM_TRANSIT_CA', parseCertificates, {
      expectation: 'the CA certificate for that server, as PEM, if not from a public CA',
      example: '"$(cat vault-ca.pem)"',
      secret: 'certificate',
    }),
  }),
  async (options) => {
    const { TransitRootKey } = await import('../../keyring/kms/transit/transit-root-key.ts');
    return TransitRootKey.open(options);
  },
);
