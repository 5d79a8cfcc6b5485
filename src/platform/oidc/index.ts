export { OidcFailure } from './failure.ts';
export { openOidcProvider, type PendingAuthorization, type OidcProvider, type ProviderIdentity } from './provider.ts';
