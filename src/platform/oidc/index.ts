export { OidcFailure } from './failure.ts';
export { openOidcProvider, type AuthorizationKept, type OidcProvider, type ProviderIdentity } from './provider.ts';
