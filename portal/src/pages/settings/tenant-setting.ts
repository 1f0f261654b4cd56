/** A value of a setting, and what it means for somebody who chooses it. */
interface SettingValue {
  readonly value: string;
  readonly label: string;
  readonly note: string;
  /** What the tenant loses with this value, compared with the others. Absent if it loses nothing. */
  readonly weakens?: string;
}

export interface TenantSetting {
  readonly name: string;
  readonly title: string;
  /** The value that applies while none is stored. */
  readonly fallback: string;
  readonly values: readonly SettingValue[];
}

/** Settings as they are stored. Those that are absent have their default. */
export type StoredSettings = Readonly<Record<string, string>>;

export const accessSettings: readonly TenantSetting[] = [
  {
    name: 'approve_plaintext',
    title: 'Changes that widen access to plaintext',
    fallback: 'false',
    values: [
      {
        value: 'true',
        label: 'Need a second person',
        note: 'Applications, rules, keys, roles and invitations do nothing until another owner or admin approves them.',
      },
      {
        value: 'false',
        label: 'Take effect at once',
        note: 'For a tenant that one person looks after.',
        weakens: 'One person, or one stolen management key, is enough to reach plaintext.',
      },
    ],
  },
  {
    name: 'require_sign_in_way',
    title: 'Signing in to the portal',
    fallback: 'false',
    values: [
      {
        value: 'true',
        label: 'With a passkey, a password or the provider',
        note: 'An invitation or a sign-in link only leads to setting one up. This is always so in production tenants.',
      },
      {
        value: 'false',
        label: 'A link is enough',
        note: 'For trying things out.',
        weakens: 'Whoever gets hold of a link is signed in.',
      },
    ],
  },
  {
    name: 'require_openid',
    title: 'Other ways to sign in',
    fallback: 'false',
    values: [
      {
        value: 'true',
        label: 'Only the OpenID provider',
        note: 'Only somebody who has signed in there can choose this. An operator can undo it at the command line.',
      },
      {
        value: 'false',
        label: 'Passkeys and passwords, too',
        note: 'The provider is one of the ways.',
        weakens: 'Somebody who has left your organisation can still sign in with a passkey until you remove them.',
      },
    ],
  },
  {
    name: 'disable_ephemeral_proxy',
    title: 'The proxy',
    fallback: 'false',
    values: [
      { value: 'true', label: 'Closed', note: 'No application can send values to other services.' },
      {
        value: 'false',
        label: 'Open',
        note: 'Applications send values to the destinations that they may call.',
        weakens: 'Plaintext leaves the vault, to whatever the rules of an application allow.',
      },
    ],
  },
];

export const dataSettings: readonly TenantSetting[] = [
  {
    name: 'fingerprint_visibility',
    title: 'Who sees fingerprints',
    fallback: 'mask',
    values: [
      {
        value: 'reveal',
        label: 'Those who see plaintext',
        note: 'For card numbers. It applies in any case while changes need a second person.',
      },
      {
        value: 'mask',
        label: 'Those who see masked tokens, too',
        note: 'Applications can tell which customers have the same card without seeing it.',
        weakens:
          'An application that creates and reads masked tokens can guess values, and see whether a guess is right.',
      },
    ],
  },
  {
    name: 'fingerprint_tokens',
    title: 'Which tokens have a fingerprint',
    fallback: 'true',
    values: [
      { value: 'true', label: 'All of them', note: 'The type says what it is made of.' },
      {
        value: 'false',
        label: 'Those with an expression of their own',
        note: 'Duplicates of all others are not found.',
      },
    ],
  },
  {
    name: 'deduplicate_tokens',
    title: 'A create with data that is already stored',
    fallback: 'false',
    values: [
      { value: 'false', label: 'Stores another token', note: 'Unless the request asks for the existing one.' },
      {
        value: 'true',
        label: 'Returns the existing token',
        note: 'Unless the request asks for another one.',
        weakens: 'Whoever creates a token learns whether its data was stored before.',
      },
    ],
  },
  {
    name: 'token_deduplication_behavior',
    title: 'The existing token',
    fallback: 'return_existing',
    values: [
      { value: 'return_existing', label: 'Stays as it is', note: 'Only its id is returned.' },
      {
        value: 'update_existing',
        label: 'Gets what the request contains',
        note: 'Data, metadata, mask and expiry.',
        weakens: 'An application that may create tokens can change existing ones.',
      },
    ],
  },
];

export const intentHours = { name: 'token_intent_hours', fallback: '24' } as const;

/** Returns the value that applies. */
export function valueOf(
  { name, fallback }: Pick<TenantSetting, 'name' | 'fallback'>,
  settings: StoredSettings,
): string {
  return settings[name] ?? fallback;
}

/** The setting that a production tenant cannot turn off, whatever is stored. */
export const wayRequired = 'require_sign_in_way';

/** Returns the settings as they apply in a tenant of this type. */
export function settingsInForce(type: string, settings: StoredSettings): StoredSettings {
  return type === 'production' ? { ...settings, [wayRequired]: 'true' } : settings;
}

/** Returns the settings of a draft that differ from what applies now. Others are not sent, so nothing else is stored. */
export function changedSettings(saved: StoredSettings, draft: StoredSettings): StoredSettings {
  const known = [...accessSettings, ...dataSettings, intentHours];
  const changed = known.filter((setting) => valueOf(setting, saved) !== valueOf(setting, draft));
  return Object.fromEntries(changed.map((setting) => [setting.name, valueOf(setting, draft)]));
}

/** Returns what the tenant would lose by a change, one sentence for each setting. */
export function lossesOf(changed: StoredSettings): string[] {
  return [...accessSettings, ...dataSettings].flatMap(({ name, values }) => {
    const loss = values.find(({ value }) => value === changed[name])?.weakens;
    return loss === undefined ? [] : [loss];
  });
}
