// The findings of `npm run doctor` about the sign-in at the OpenID provider.
import { ok, warning, type Finding } from '../../domain/doctor/finding.ts';
import type { Database } from '../../platform/database.ts';
import { OidcFailure } from '../../platform/oidc/index.ts';
import type { Oidc } from './sign-in.ts';

const probe = 'sign-in';

export async function examineOidc(db: Database, { settings, provider }: Oidc): Promise<Finding[]> {
  const { redirectUri } = provider;
  const accounts = [...new Set(settings.roles.map(({ account }) => account))];
  const known = await db.system.query<{ name: string }>('select name from account where name = any ($1)', [accounts]);
  const unknown = accounts.filter((account) => !known.some(({ name }) => name === account));
  const findings: Finding[] = unknown.map((account) =>
    warning(probe, `OIDC_ROLES names the account ${account}, which does not exist.`, 'Correct OIDC_ROLES.'),
  );
  try {
    const server = await provider.describe();
    findings.unshift(
      ok(
        probe,
        `The OpenID provider ${settings.issuer} answers. The provider must know the redirect URI ${redirectUri}. Only a sign-in shows whether it does.`,
      ),
    );
    const offered = server.scopes_supported;
    const absent = settings.scopes.split(/\s+/).filter((scope) => offered !== undefined && !offered.includes(scope));
    if (absent.length > 0)
      findings.push(
        warning(
          probe,
          `The OpenID provider does not list the scopes ${absent.join(' ')} of OIDC_SCOPES.`,
          'Remove from OIDC_SCOPES the scopes that the provider does not know. Some providers know scopes that they do not list.',
        ),
      );
  } catch (error) {
    if (!(error instanceof OidcFailure)) throw error;
    // This is only a warning, because landings do not need the provider.
    findings.unshift(
      warning(probe, error.message, `OIDC_ISSUER is ${settings.issuer}; the redirect URI is ${redirectUri}.`),
    );
  }
  return findings;
}
