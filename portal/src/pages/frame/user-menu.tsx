import { BookOpen, ChevronsUpDown, Keyboard, LogOut, UserRound } from 'lucide-react';
import { useState } from 'react';
import { useDocumentation, useMember } from '../../api/me';
import { Menu } from '../../parts/controls/menu';
import { Segments } from '../../parts/controls/segments';
import { Icon } from '../../parts/icon';
import { applyTheme, currentTheme, type Theme, themes } from '../../parts/theme';
import { showShortcuts } from './shortcuts';

const themeNames: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' };

/** Shows who is signed in, with the account, the colours, and the way out. */
export function UserMenu() {
  const { user } = useMember();
  const documentation = useDocumentation();
  const [theme, setTheme] = useState(currentTheme);
  const name = user.name ?? user.email ?? 'You';
  return (
    <Menu
      label="Account and colours"
      trigger={(attributes) => (
        <button {...attributes} className="side-card">
          <span className="face" aria-hidden="true">
            {initialsOf(name)}
          </span>
          <span>
            <b>{name}</b>
            {user.name === undefined ? null : <small>{user.email}</small>}
          </span>
          <Icon of={ChevronsUpDown} />
        </button>
      )}
    >
      <a href="/portal/account">
        <Icon of={UserRound} />
        Your account
      </a>
      <button type="button" className="item" onClick={showShortcuts}>
        <Icon of={Keyboard} />
        Keys
        <span className="tail">
          <kbd>?</kbd>
        </span>
      </button>
      {documentation === undefined ? null : (
        <a href={documentation}>
          <Icon of={BookOpen} />
          Documentation
        </a>
      )}
      <p className="menu-head">Colours</p>
      <Segments
        label="Colours"
        value={theme}
        options={themes.map((value) => ({ value, label: themeNames[value] }))}
        onChange={(chosen) => {
          applyTheme(chosen);
          setTheme(chosen);
        }}
      />
      <hr />
      <form method="post" action="/portal/sign-out">
        <button className="item">
          <Icon of={LogOut} />
          Sign out
        </button>
      </form>
    </Menu>
  );
}

/** Returns up to two letters, such as `ML` for a name or `M` for an address. */
function initialsOf(name: string): string {
  const words = (name.split('@')[0] ?? '').split(/[\s._-]+/).filter((word) => word !== '');
  return words
    .slice(0, 2)
    .map((word) => word.slice(0, 1).toUpperCase())
    .join('');
}
