export { hasScope, haveSameRights, requireAction, requireRepositoryScope, requireScope } from './authorisation.ts';
export { canSkipLine, canSkipValidation, isMemberOfTeam, skipRefusals, type Permission } from './skipping.ts';
export { viewerActionOf, viewerActionsOf } from './viewer-actions.ts';
export type { TeamRead } from './teams.reads.ts';
export { findEmailOfHandle, findHandles, findUserByEmail, type UserRead } from './users.reads.ts';
export {
  announceEndedAccess,
  createAuthenticator,
  type Authenticator,
  type EmbedSession,
  type Session,
} from './authenticate.ts';
export { endSession, findSignInLink, sessionForgetting, startSession, useSignInLink } from './sessions.service.ts';
export {
  addGitHubPerson,
  findGitHubPerson,
  setPersonRole,
  startPersonSession,
  type GitHubPerson,
} from './people.service.ts';
export {
  claimRefreshToken,
  claimUnusedRefreshTokens,
  confirmOidcPerson,
  forgetRefreshToken,
  readIdToken,
  readOidcMembership,
  startOidcSession,
  withdrawOidcPerson,
  type ClaimedRefreshToken,
  type OidcMembership,
} from './oidc-people.service.ts';
export { approveTerminal, createTerminalToken, takeTerminalSession } from './terminal-sign-in.service.ts';
export { createAccount } from './accounts.service.ts';
export { areSecretsOfInstallation, tokenForgetting } from './tokens.rows.ts';
export { createApiToken } from './tokens.service.ts';
export {
  decrypt,
  deriveSecrets,
  digestToken,
  encrypt,
  generateSecrets,
  type Secrets,
  type TokenKind,
} from './tokens.ts';
export {
  promoteDueSigning,
  promoteWebhookSigning,
  readSigningKeys,
  readSigningTokens,
  rotateWebhookSigning,
} from './webhook-signing.ts';
export { recordUserAction, type RequestContext, type RequestSource, type UserAction } from './user-actions.ts';
export { userActionsMarkdown, type UserActionName } from './user-actions.table.ts';
