export { oidcConfirmation, type ConfirmPerson } from './confirmation.ts';
export { examineOidc } from './examine.ts';
export { revokeUnusedTokens } from './sign-out.ts';
export { beginOidcSignIn, completeOidcSignIn, openOidc, type Oidc } from './sign-in.ts';
export { beginOidcSignOut, hasOidcSignOut, oidcSignOutUrl } from './sign-out.ts';
