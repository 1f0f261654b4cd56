/** Why somebody was not let in, as the page says it: never more than whoever tries may know. */
export class SignInRefused extends Error {
  readonly status: 401 | 429 | 503;

  constructor(message: string, status: 401 | 429 | 503 = 401) {
    super(message);
    this.name = 'SignInRefused';
    this.status = status;
  }
}
