import { Arg, Ctx, Extensions, Query, Resolver } from 'type-graphql';
import {
  type Connection,
  PageArgs,
  type PageRequest,
  readPage,
  rowId,
  toConnection,
} from '../../graphql/connection.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { PageNumber } from '../../graphql/scalars.ts';
import { readUserActions } from './user-actions.reads.ts';
import { auditEntities, userActionEntities, type AuditEntity } from './user-actions.table.ts';
import {
  AuditEntryConnection,
  auditEntityNames,
  UserActionConnection,
  userActionEntityNames,
  type AuditEntry,
  type UserAction,
  type UserActionEntity,
} from './user-actions.types.ts';

const pageSize = 50;

@Resolver()
export class UserActionsResolver {
  @Extensions({ price: 500 })
  @Query(() => UserActionConnection, {
    description:
      'What users did, in sessions of browsers or with user tokens, newest first (interface 4.7). Needs audit:read and the Enterprise plan.',
  })
  async userActions(
    @Ctx() ctx: GraphQLContext,
    @PageArgs(50) request: PageRequest,
    @Arg('page', () => PageNumber, { nullable: true, description: 'A page by its number, in the place of `after`.' })
    page: number | null,
    @Arg('entity', () => userActionEntityNames, {
      nullable: true,
      description: 'Only actions on objects of this kind.',
    })
    entity: UserActionEntity | null,
    @Arg('action', () => String, {
      nullable: true,
      description: 'Only this action. An unknown action gives an empty list.',
    })
    action: string | null,
  ): Promise<Connection<UserAction>> {
    const paged = readPage({ ...request, page }, { size: pageSize, keyLength: 1 });
    const rows = await readUserActions(ctx, {
      ...paged,
      before: rowId(paged),
      entities: entity ? [entity] : userActionEntities,
      action: action ?? null,
    });
    return toConnection(rows, paged.size, { node: (row): UserAction => row, key: ({ id }) => [id] });
  }

  @Extensions({ price: 500 })
  @Query(() => AuditEntryConnection, {
    description:
      'Like `userActions`, and also the actions about releases, runbooks and previews. Needs audit:read and the Enterprise plan.',
  })
  async auditLog(
    @Ctx() ctx: GraphQLContext,
    @PageArgs(50) request: PageRequest,
    @Arg('entity', () => auditEntityNames, { nullable: true, description: 'Only actions on objects of this kind.' })
    entity: AuditEntity | null,
    @Arg('action', () => String, {
      nullable: true,
      description: 'Only this action. An unknown action gives an empty list.',
    })
    action: string | null,
  ): Promise<Connection<AuditEntry>> {
    const paged = readPage(request, { size: pageSize, keyLength: 1 });
    const rows = await readUserActions(ctx, {
      ...paged,
      before: rowId(paged),
      entities: entity ? [entity] : auditEntities,
      action: action ?? null,
    });
    return toConnection(rows, paged.size, { node: (row): AuditEntry => row, key: ({ id }) => [id] });
  }
}
