// All entities that MikroORM maps. Tables without an entity (events, proofs, checks, landings) are written by SQL.
import { AccountEntity, AccountUserEntity, ApiTokenEntity } from './accounts/accounts.entities.ts';
import {
  BranchPauseEntity,
  ConfigurationChangeEntity,
  RepositoryEntity,
} from './repositories/repositories.entities.ts';
import {
  BatchAssumptionEntity,
  BatchEntity,
  BatchMemberEntity,
  BotPullRequestEntity,
  IntentEntity,
  PullRequestEntity,
  QueueEntity,
} from './queue/store/queue.entities.ts';
import {
  DeploymentEntity,
  EnvironmentEntity,
  FreezeEntity,
  ReleaseCandidateEntity,
  ReleaseEntity,
  ReleaseProjectEntity,
} from './releases/releases.entities.ts';
import {
  PreviewImageEntity,
  PreviewRegistrationEntity,
  PreviewSandboxEntity,
  PreviewSecretEntity,
  VerificationEntity,
} from './previews/previews.entities.ts';
import {
  RunbookCommitEntity,
  RunbookDefaultsEntity,
  RunbookEntity,
  RunbookPromptEntity,
  RunbookPullRequestEntity,
  RunbookStepEntity,
} from './runbooks/runbooks.entities.ts';

export const entities = [
  AccountEntity,
  AccountUserEntity,
  ApiTokenEntity,
  RepositoryEntity,
  ConfigurationChangeEntity,
  BranchPauseEntity,
  QueueEntity,
  PullRequestEntity,
  BatchAssumptionEntity,
  BatchEntity,
  BatchMemberEntity,
  BotPullRequestEntity,
  IntentEntity,
  ReleaseProjectEntity,
  EnvironmentEntity,
  ReleaseEntity,
  ReleaseCandidateEntity,
  DeploymentEntity,
  FreezeEntity,
  RunbookDefaultsEntity,
  RunbookEntity,
  RunbookPromptEntity,
  RunbookStepEntity,
  RunbookPullRequestEntity,
  RunbookCommitEntity,
  PreviewImageEntity,
  PreviewSecretEntity,
  PreviewRegistrationEntity,
  VerificationEntity,
  PreviewSandboxEntity,
];
