import { useQueryClient } from '@tanstack/react-query';
import { Check, ChevronsUpDown } from 'lucide-react';
import { useMember } from '../../api/me';
import { chooseTenant } from '../../api/tenant';
import { Menu } from '../../parts/controls/menu';
import { Icon } from '../../parts/icon';
import { Logo } from '../../parts/logo';
import { roleNames } from '../../parts/role-names';

/** Shows the tenant and the user's role in it, and switches to another tenant. */
export function TenantMenu() {
  const { tenants, tenant } = useMember();
  const queries = useQueryClient();
  const card = (
    <>
      <Logo />
      <span>
        <b>{tenant.name}</b>
        <small>{roleNames[tenant.role]}</small>
      </span>
    </>
  );
  if (tenants.length === 1) return <div className="side-card">{card}</div>;
  return (
    <Menu
      label="Tenants"
      trigger={(attributes) => (
        <button {...attributes} className="side-card">
          {card}
          <Icon of={ChevronsUpDown} />
        </button>
      )}
    >
      <p className="menu-head">Switch tenant</p>
      {tenants.map(({ id, name, role }) => (
        <button
          key={id}
          type="button"
          className="item"
          aria-pressed={id === tenant.id}
          onClick={() => {
            chooseTenant(id);
            // Data of one tenant must not be shown in another.
            queries.clear();
            location.assign('/portal/');
          }}
        >
          {name}
          <span className="tail">{id === tenant.id ? <Icon of={Check} isSmall /> : roleNames[role]}</span>
        </button>
      ))}
    </Menu>
  );
}
