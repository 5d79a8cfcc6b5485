export { canSkipLine, canSkipValidation, requireScope } from './authorisation.ts';
export { createAuthenticator, type Authenticator, type Session } from './authenticate.ts';
export { createAccount, createApiToken } from './accounts.service.ts';
export { deriveSecrets, generateSecrets, type Secrets, type TokenKind } from './tokens.ts';
export { recordUserAction, type RequestContext, type RequestSource, type UserAction } from './user-actions.ts';
