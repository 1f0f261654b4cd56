/** The reason why a sign-in failed, as shown on the page. It reveals no more than a stranger may know. */
export class SignInRefused extends Error {
  readonly status: 401 | 429 | 503;

  constructor(message: string, status: 401 | 429 | 503 = 401) {
    super(message);
    this.name = 'SignInRefused';
    this.status = status;
  }
}
