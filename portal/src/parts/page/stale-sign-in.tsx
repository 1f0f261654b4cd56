import { KeyRound } from 'lucide-react';
import { useMember } from '../../api/me';
import { Icon } from '../icon';
import { SignInAgain } from './states';

/** Warns about a stale sign-in before the user fills in a form, not after the vault rejects it. */
export function StaleSignIn() {
  const { is_fresh: isFresh } = useMember();
  if (isFresh) return null;
  return (
    <div className="banner">
      <Icon of={KeyRound} />
      <p className="grow">Changes need a sign-in within the last 15 minutes. Yours is older.</p>
      <SignInAgain />
    </div>
  );
}
