// Authenticates a request by its Authorization header: the JWT of an App, the token of an installation, or the token of
// a person.
import { createVerify } from 'node:crypto';
import type { Core } from '../core.ts';
import { ApiError, badCredentials, forbidden } from '../http/errors.ts';
import type { App } from '../model/types.ts';
import type { Actor } from './actor.ts';

const longestJwtSec = 600;

export function authenticate(core: Core, header: string | undefined): Actor {
  if (header === undefined || header === '') return { kind: 'anonymous' };
  const [scheme = '', credentials = ''] = header.split(/\s+(.*)/s);
  if (/^basic$/i.test(scheme)) return authenticateToken(core, passwordOf(credentials));
  if (!/^(bearer|token)$/i.test(scheme)) throw badCredentials();
  return isJwt(credentials)
    ? { kind: 'app', app: readJwt(core, credentials) }
    : authenticateToken(core, credentials.trim());
}

export function authenticateToken(core: Core, token: string): Actor {
  const { state } = core;
  const found = state.tokens.find((each) => each.token === token);
  if (found === undefined) throw badCredentials();
  if (found.expiresAt !== null && Date.parse(found.expiresAt) <= core.clock()) throw badCredentials();
  if (found.kind === 'installation') {
    const installation = state.installations.get(found.installationId);
    if (installation === undefined) throw badCredentials();
    if (installation.suspendedAt !== null) throw forbidden('This installation has been suspended');
    const app = state.apps.must(installation.appId);
    return { kind: 'installation', app, installation, token: found, account: state.accounts.must(app.botId) };
  }
  const account = state.accounts.get(found.userId);
  if (account === undefined) throw badCredentials();
  return { kind: 'user', account, token: found, app: state.apps.get(found.appId) ?? null };
}

/** The token in basic authentication: the password, or the user name if there is no password. */
function passwordOf(credentials: string): string {
  const [user = '', password = ''] = Buffer.from(credentials, 'base64').toString('utf8').split(/:(.*)/s);
  return password === '' || password === 'x-oauth-basic' ? user : password;
}

function isJwt(credentials: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(credentials);
}

function readJwt(core: Core, jwt: string): App {
  const [head = '', claims = '', signature = ''] = jwt.split('.');
  const header = decode(head);
  const payload = decode(claims);
  if (header?.['alg'] !== 'RS256' || payload === null) throw undecodable();
  const { iss, iat, exp } = payload;
  if (iss === undefined) throw new ApiError(401, "Missing 'issuer' claim ('iss') in assertion");
  checkTimes(core, iat, exp);
  const app = core.state.apps.find(
    (each) => [String(each.id), each.id].some((id) => id === iss) || each.clientId === iss,
  );
  if (app === undefined) throw new ApiError(404, 'Integration not found');
  const isSigned = app.publicKeys.some((key) =>
    createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(key, Buffer.from(signature, 'base64url')),
  );
  if (!isSigned) throw undecodable();
  return app;
}

function checkTimes(core: Core, iat: unknown, exp: unknown): void {
  const nowSec = core.clock() / 1000;
  const issued = "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
  const expires =
    "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
  if (typeof iat !== 'number' || iat > nowSec) throw new ApiError(401, issued);
  if (typeof exp !== 'number' || exp <= nowSec) throw new ApiError(401, expires);
  if (exp > nowSec + longestJwtSec) throw new ApiError(401, "'Expiration time' claim ('exp') is too far in the future");
}

function decode(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function undecodable(): ApiError {
  return new ApiError(401, 'A JSON web token could not be decoded');
}
