// Translates failures of an OpenID provider into sentences that say what to do.
import * as oauth from 'oauth4webapi';

/**
 * `unreachable`: the provider did not answer. `over`: the provider has ended the code or the refresh token. `refused`:
 * this sign-in failed, and another may succeed. `misconfigured`: no sign-in can succeed until the operator changes a
 * setting.
 */
export type OidcFailureKind = 'unreachable' | 'over' | 'refused' | 'misconfigured';

export class OidcFailure extends Error {
  readonly kind: OidcFailureKind;
  constructor(kind: OidcFailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

interface ProviderAddresses {
  readonly issuer: string;
  readonly redirectUri: string;
}

export function failureOf(error: unknown, addresses: ProviderAddresses): OidcFailure {
  if (error instanceof OidcFailure) return error;
  const [kind, message] = explain(error, addresses);
  return new OidcFailure(kind, message, { cause: error });
}

function explain(error: unknown, addresses: ProviderAddresses): readonly [OidcFailureKind, string] {
  if (error instanceof oauth.AuthorizationResponseError)
    return ['refused', `The OpenID provider did not sign you in: ${error.error_description ?? error.error}`];
  if (error instanceof oauth.ResponseBodyError) return explainAnswer(error, addresses);
  if (error instanceof oauth.OperationProcessingError) return explainCheck(error, addresses);
  if (error instanceof oauth.WWWAuthenticateChallengeError) return refusedClient;
  const { name } = error as Error;
  if (error instanceof TypeError || name === 'TimeoutError' || name === 'AbortError')
    return [
      'unreachable',
      `The OpenID provider ${addresses.issuer} did not answer. Sign in another way, or try again.`,
    ];
  return ['refused', 'The OpenID provider did not accept this sign-in. Begin again.'];
}

const refusedClient = [
  'misconfigured',
  'The OpenID provider refused this application. Compare OIDC_CLIENT_ID and OIDC_CLIENT_SECRET with the provider.',
] as const;

function explainAnswer(
  error: oauth.ResponseBodyError,
  { redirectUri }: ProviderAddresses,
): readonly [OidcFailureKind, string] {
  switch (error.error) {
    case 'invalid_client':
    case 'unauthorized_client':
      return refusedClient;
    case 'invalid_grant':
      return [
        'over',
        `The OpenID provider did not accept the code. Begin again. If this happens each time, the redirect URI at the provider must be ${redirectUri}.`,
      ];
    default:
      return [
        'refused',
        `The OpenID provider answered ${error.error}${error.error_description === undefined ? '' : `: ${error.error_description}`}. Begin again.`,
      ];
  }
}

function explainCheck(
  error: oauth.OperationProcessingError,
  { issuer }: ProviderAddresses,
): readonly [OidcFailureKind, string] {
  const code: string = error.code ?? '';
  switch (code) {
    case oauth.JWT_TIMESTAMP_CHECK:
      return [
        'refused',
        'The ID token has expired or is not valid yet. Begin again. If this happens each time, the clock of this server and that of the OpenID provider differ: correct them.',
      ];
    case oauth.JWT_CLAIM_COMPARISON:
      return ['refused', 'The ID token belongs to another sign-in or another application. Begin again.'];
    case oauth.JSON_ATTRIBUTE_COMPARISON:
      return [
        'misconfigured',
        `The OpenID provider at ${issuer} calls itself by another name. Set OIDC_ISSUER to the issuer that its discovery document names.`,
      ];
    case oauth.KEY_SELECTION:
      return ['refused', 'The ID token is signed by a key that the OpenID provider does not publish. Begin again.'];
    case oauth.RESPONSE_IS_NOT_CONFORM:
    case oauth.RESPONSE_IS_NOT_JSON:
      return [
        'unreachable',
        `The OpenID provider ${issuer} gave an answer that is none of OpenID Connect. Sign in another way, or try again. If this happens each time, correct OIDC_ISSUER.`,
      ];
    default:
      return ['refused', 'The OpenID provider did not accept this sign-in. Begin again.'];
  }
}
