// Finds environments and release candidates by words, among the newest ones.
import { Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.ts';
import { hasScope } from '../accounts/index.ts';
import { patternsOf } from '../repositories/index.ts';
import { Search } from '../repositories/search.types.ts';
import { candidateColumns } from './candidates.reads.ts';
import { ReleaseCandidate } from './candidates.types.ts';
import { Environment } from './environments.types.ts';
import { environmentColumns, toEnvironment, type EnvironmentRead } from './projects.reads.ts';

@Resolver(() => Search)
export class SearchReleasesResolver {
  @Extensions({ price: 500, rows: 10 })
  @FieldResolver(() => [Environment], {
    nullable: true,
    description:
      'Of the 1,000 newest environments of the account, those whose name and release project contain all words. Null without release:read.',
  })
  async environments(
    @Ctx() ctx: GraphQLContext,
    @Root() { repositories, words, first }: Search,
  ): Promise<Environment[] | null> {
    if (!hasScope(ctx, 'release:read')) return null;
    const rows = await ctx.db.read<EnvironmentRead>(ctx.accountId, {
      name: 'search_environments',
      text: `select ${environmentColumns}
             from (select * from environment n where n.account_id = $1 order by n.id desc limit 1000) e
             join release_project p on p.account_id = e.account_id and p.id = e.project_id and p.repository_id = any ($2::bigint[])
             where concat_ws(' ', p.name, e.name) ilike all ($3::text[]) order by p.name, e.position limit $4::integer`,
      values: [ctx.accountId, repositories.map(({ id }) => id), patternsOf(words), first],
    });
    return rows.map(toEnvironment);
  }

  @Extensions({ price: 500, rows: 10 })
  @FieldResolver(() => [ReleaseCandidate], {
    nullable: true,
    description:
      'Release candidates whose version, release project and commit contain all words, newest first. The 200 newest candidates of each of the first 50 projects by name are searched. Null without release:read.',
  })
  async releaseCandidates(
    @Ctx() ctx: GraphQLContext,
    @Root() { repositories, words, first }: Search,
  ): Promise<ReleaseCandidate[] | null> {
    if (!hasScope(ctx, 'release:read')) return null;
    return await ctx.db.read<ReleaseCandidate>(ctx.accountId, {
      name: 'search_release_candidates',
      text: `select ${candidateColumns}
             from (select p.id, p.name from release_project p where p.account_id = $1 and p.repository_id = any ($2::bigint[])
                   order by p.name limit 50) project, lateral (
               select * from release_candidate n where n.account_id = $1 and n.project_id = project.id order by n.id desc limit 200) c
             where concat_ws(' ', project.name, c.version, c.commit) ilike all ($3::text[]) order by c.id desc limit $4::integer`,
      values: [ctx.accountId, repositories.map(({ id }) => id), patternsOf(words), first],
    });
  }
}
