import { Link } from '@tanstack/react-router';
import { CreditCard } from 'lucide-react';
import { FirstCommand } from '../../parts/controls/first-command';
import { Empty } from '../../parts/page/states';

/** Shows the first steps in a vault that has no token yet. */
export function FirstToken() {
  return (
    <div className="card">
      <Empty icon={CreditCard} title="Store your first card">
        <p>
          Create an <Link to="/applications/new">application</Link>, put its key into this line, and paste it into a
          terminal.
        </p>
        <FirstCommand />
      </Empty>
    </div>
  );
}
