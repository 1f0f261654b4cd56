import { useMember } from '../api/me';
import { SignInAgain } from './states';

/** Said before something is filled in, not when it is refused. */
export function StaleSignIn() {
  const { is_fresh: isFresh } = useMember();
  if (isFresh) return null;
  return (
    <div className="alert stale-sign-in">
      <p>Changes need a sign-in within the last 15 minutes. Yours is older.</p>
      <SignInAgain />
    </div>
  );
}
