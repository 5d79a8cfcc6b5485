// The actor of a request.
import type { AccessToken, Account, App, Installation } from './types.ts';

export type Actor =
  | { readonly kind: 'anonymous' }
  /** An App that is authenticated by its JWT. */
  | { readonly kind: 'app'; readonly app: App }
  | {
      readonly kind: 'installation';
      readonly app: App;
      readonly installation: Installation;
      readonly token: AccessToken;
      readonly account: Account;
    }
  /** A person who is authenticated by a token. `app` is the App that made the token. Null: it is a personal token. */
  | { readonly kind: 'user'; readonly account: Account; readonly token: AccessToken; readonly app: App | null };
