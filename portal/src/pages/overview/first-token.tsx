import { FirstCommand } from '../../parts/first-command';

/** Shows the first steps in a vault that has no token yet. */
export function FirstToken() {
  return (
    <section className="hint">
      <h2>Store your first card</h2>
      <p>Create an application, put its key into this line, and paste it into a terminal.</p>
      <FirstCommand />
    </section>
  );
}
