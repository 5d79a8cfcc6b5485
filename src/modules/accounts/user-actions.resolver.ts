import { Arg, Ctx, Extensions, Int, Query, Resolver } from 'type-graphql';
import { readPage, rowId, toConnection, type Connection } from '../../graphql/connection.ts';
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
      'What users did from the dashboard, newest first (interface 4.7). Needs audit:read and the Enterprise plan.',
  })
  async userActions(
    @Ctx() ctx: GraphQLContext,
    @Arg('first', () => Int, {
      nullable: true,
      defaultValue: 50,
      description: 'Size of a page, 50 if not given, at most 100.',
    })
    first: number | null,
    @Arg('after', () => String, { nullable: true, description: 'Cursor to go on from.' }) after: string | null,
    @Arg('page', () => PageNumber, { nullable: true, description: 'A page by its number, in the place of `after`.' })
    page: number | null,
    @Arg('entity', () => userActionEntityNames, { nullable: true, description: 'Only about things of this kind.' })
    entity: UserActionEntity | null,
    @Arg('action', () => String, {
      nullable: true,
      description: 'Only this action. An unknown action gives an empty list.',
    })
    action: string | null,
  ): Promise<Connection<UserAction>> {
    const request = readPage({ first, after, page }, { size: pageSize, keyLength: 1 });
    const rows = await readUserActions(ctx, {
      ...request,
      before: rowId(request),
      entities: entity ? [entity] : userActionEntities,
      action: action ?? null,
    });
    return toConnection(rows, request.size, { node: (row): UserAction => row, key: ({ id }) => [id] });
  }

  @Extensions({ price: 500 })
  @Query(() => AuditEntryConnection, {
    description: 'Like `userActions`, with releases, runbooks and previews. Needs audit:read and the Enterprise plan.',
  })
  async auditLog(
    @Ctx() ctx: GraphQLContext,
    @Arg('first', () => Int, {
      nullable: true,
      defaultValue: 50,
      description: 'Size of a page, 50 if not given, at most 100.',
    })
    first: number | null,
    @Arg('after', () => String, { nullable: true, description: 'Cursor to go on from.' }) after: string | null,
    @Arg('entity', () => auditEntityNames, { nullable: true, description: 'Only about things of this kind.' })
    entity: AuditEntity | null,
    @Arg('action', () => String, {
      nullable: true,
      description: 'Only this action. An unknown action gives an empty list.',
    })
    action: string | null,
  ): Promise<Connection<AuditEntry>> {
    const request = readPage({ first, after }, { size: pageSize, keyLength: 1 });
    const rows = await readUserActions(ctx, {
      ...request,
      before: rowId(request),
      entities: entity ? [entity] : auditEntities,
      action: action ?? null,
    });
    return toConnection(rows, request.size, { node: (row): AuditEntry => row, key: ({ id }) => [id] });
  }
}
