export { requireScope } from './authorisation.ts';
export { canSkipLine, canSkipValidation, isMemberOfTeam } from './skipping.ts';
export { createAuthenticator, type Authenticator, type Session } from './authenticate.ts';
export { createAccount } from './accounts.service.ts';
export { createApiToken } from './tokens.service.ts';
export { deriveSecrets, generateSecrets, type Secrets, type TokenKind } from './tokens.ts';
export { recordUserAction, type RequestContext, type RequestSource, type UserAction } from './user-actions.ts';
export { userActionsMarkdown, type UserActionName } from './user-actions.table.ts';
