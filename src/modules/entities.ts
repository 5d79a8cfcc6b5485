// Every entity MikroORM maps. Tables without an entity (events, proofs, checks, landings) are written by SQL.
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
} from './queue/queue.entities.ts';

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
];
