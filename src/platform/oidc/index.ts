export { OidcFailure } from './failure.ts';
export { openOidcProvider, type AuthorizationKept, type OidcProvider, type Vouched } from './provider.ts';
