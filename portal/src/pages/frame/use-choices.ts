import { useNavigate } from '@tanstack/react-router';
import {
  AppWindow,
  CreditCard,
  Keyboard,
  Moon,
  Plus,
  ScrollText,
  Search,
  Sun,
  UserPlus,
  UserRound,
} from 'lucide-react';
import { useMember } from '../../api/me';
import { useNames } from '../../api/names';
import { applyTheme } from '../../parts/theme';
import { allPlaces, places } from './places';
import { showShortcuts } from './shortcuts';
import type { Choice, ChoiceGroup } from './choices';
import { setPasted } from '../../parts/find/pasted-text';
import { readPasted } from '../../parts/find/readings';

/** Returns everything that the palette offers, and where the given text could be found. */
export function useChoices(text: string): { known: ChoiceGroup[]; find: ChoiceGroup } {
  const navigate = useNavigate();
  const member = useMember();
  const names = useNames();
  const leave = (path: string) => location.assign(path);
  const pages: Choice[] = [
    ...allPlaces.map(({ label, to, icon }) => ({ id: to, label, icon, run: () => void navigate({ to }) })),
    ...places.flatMap(({ rendered = [] }) =>
      rendered.map(({ label, href, icon }) => ({ id: href, label, icon, run: () => leave(href) })),
    ),
    {
      id: 'account',
      label: 'Your account',
      icon: UserRound,
      words: 'sign in passkey password',
      run: () => leave('/portal/account'),
    },
  ];
  const actions: Choice[] = [
    ...(member.may('application:create')
      ? [
          {
            id: 'new',
            label: 'New application',
            icon: Plus,
            words: 'create key',
            run: () => void navigate({ to: '/applications/new' }),
          },
        ]
      : []),
    ...(member.may('tenant:invitation:create')
      ? [
          {
            id: 'invite',
            label: 'Invite a member',
            icon: UserPlus,
            run: () => void navigate({ to: '/members', search: { invite: 'true' } }),
          },
        ]
      : []),
    { id: 'new-token', label: 'New token', icon: CreditCard, words: 'card', run: () => leave('/portal/new-token') },
    { id: 'keys', label: 'Show the keys', icon: Keyboard, words: 'shortcuts', run: showShortcuts },
    { id: 'light', label: 'Light colours', icon: Sun, words: 'theme', run: () => applyTheme('light') },
    { id: 'dark', label: 'Dark colours', icon: Moon, words: 'theme', run: () => applyTheme('dark') },
  ];
  const named = (kind: 'application' | 'member') =>
    [...names].flatMap(([id, one]) => (one.kind === kind ? [{ id, name: one.name }] : []));
  const applications = named('application').map(({ id, name }) => ({
    id,
    label: name,
    words: id,
    icon: AppWindow,
    run: () => void navigate({ to: '/applications/$applicationId', params: { applicationId: id } }),
  }));
  const members = named('member').map(({ id, name }) => ({
    id,
    label: name,
    words: id,
    note: 'what they saw',
    icon: UserRound,
    run: () => void navigate({ to: '/members/$userId', params: { userId: id } }),
  }));
  return {
    known: [
      { title: 'Pages', choices: pages },
      { title: 'Actions', choices: actions },
      { title: 'Applications', choices: applications },
      { title: 'Members', choices: members },
    ],
    find: { title: 'Find', choices: text.trim() === '' ? [] : toFinds(text.trim(), navigate) },
  };
}

/** Returns where pasted text could be found. Text that may be token data does not become part of an address. */
function toFinds(text: string, navigate: ReturnType<typeof useNavigate>): Choice[] {
  const { isId, isSecret, isAddress } = readPasted(text, []);
  const search = () => {
    if (isSecret) setPasted(text);
    void navigate({ to: '/tokens', search: isSecret ? {} : { query: text } });
  };
  const audit = (id: string, label: string, filter: object): Choice => ({
    id,
    label,
    icon: ScrollText,
    run: () => void navigate({ to: '/audit', search: { ...filter, range: '90d', views: 'shown' } }),
  });
  return [
    ...(isId
      ? [
          {
            id: 'open',
            label: 'Open the token with this id',
            icon: CreditCard,
            run: () => void navigate({ to: '/tokens/$tokenId', params: { tokenId: text } }),
          },
        ]
      : []),
    { id: 'search', label: `Find “${text}” among tokens`, icon: Search, run: search },
    ...(isId
      ? [
          audit('about', 'Records about this id', { entity_id: text }),
          audit('trace', 'Records with this trace id', { request_id: text }),
          audit('key', 'Records of this key', { key_id: text }),
        ]
      : []),
    ...(isAddress ? [audit('from', 'Records from this address', { source_address: text })] : []),
  ];
}
