// Who asks.
import type { AccessToken, Account, App, Installation } from './types.ts';

export type Actor =
  | { readonly kind: 'anonymous' }
  /** An App by its JWT. */
  | { readonly kind: 'app'; readonly app: App }
  | {
      readonly kind: 'installation';
      readonly app: App;
      readonly installation: Installation;
      readonly token: AccessToken;
      readonly account: Account;
    }
  /** A person by a token. `app` acts for the person when the token is of an App. */
  | { readonly kind: 'user'; readonly account: Account; readonly token: AccessToken; readonly app: App | null };
