export { hasScope, requireAction, requireRepositoryScope, requireScope } from './authorisation.ts';
export { canSkipLine, canSkipValidation, isMemberOfTeam, skipRefusals, type Permission } from './skipping.ts';
export { viewerActionOf, viewerActionsOf } from './viewer-actions.ts';
export type { TeamRead } from './teams.reads.ts';
export { findHandles, findUserByEmail, type UserRead } from './users.reads.ts';
export { createAuthenticator, type Authenticator, type Session } from './authenticate.ts';
export { endSession, findSignInLink, forgetOldSessions, startSession, useSignInLink } from './sessions.service.ts';
export { setPersonRole, startPersonSession, type GitHubPerson } from './people.service.ts';
export { createAccount } from './accounts.service.ts';
export { createApiToken } from './tokens.service.ts';
export { decrypt, deriveSecrets, encrypt, generateSecrets, type Secrets, type TokenKind } from './tokens.ts';
export {
  promoteDueSigning,
  promoteWebhookSigning,
  readSigningKeys,
  readSigningTokens,
  rotateWebhookSigning,
} from './webhook-signing.ts';
export { recordUserAction, type RequestContext, type RequestSource, type UserAction } from './user-actions.ts';
export { userActionsMarkdown, type UserActionName } from './user-actions.table.ts';
