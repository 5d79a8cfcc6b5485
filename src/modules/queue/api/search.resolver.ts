// Searches pull requests by words. Two bounded reads find candidates, and each candidate is compared with every word.
// The index of words finds old pull requests. The newest pull requests are always candidates, because a common word has
// more matches in the index than a search reads.
import { Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { numberOf, patternsOf } from '../../repositories/index.ts';
import { Search } from '../../repositories/search.types.ts';
import { pullRequestColumns } from './pull-requests.columns.ts';
import { PullRequest } from './pull-requests.types.ts';

/** The greatest number of candidates of each kind, in all repositories together. */
const maxCandidates = 2_000;

@Resolver(() => Search)
export class SearchPullRequestsResolver {
  @Extensions({ price: 3_000, rows: 10 })
  @FieldResolver(() => [PullRequest], {
    description:
      'Pull requests whose number, title, author or head branch has each word: the one with that number first, then the newest first. Beginnings of words are found in all pull requests; in the newest 2,000, any part of a word is found. If more than 2,000 pull requests have a word with this beginning, only some of them are found besides the newest.',
  })
  async pullRequests(@Ctx() ctx: GraphQLContext, @Root() search: Search): Promise<PullRequest[]> {
    const { repositories, text, words, first } = search;
    const each = Math.ceil(maxCandidates / Math.max(1, repositories.length));
    const ids = repositories.map(({ id }) => id);
    const found = await ctx.db.read<PullRequest & { readonly repositoryId: string }>(ctx.accountId, {
      name: 'search_pull_requests',
      text: statement,
      values: [ctx.accountId, ids, text, patternsOf(words), numberOf(text), first, each],
    });
    const byId = new Map(repositories.map((repository) => [repository.id, repository]));
    return found.flatMap((row) => {
      const repository = byId.get(row.repositoryId);
      return repository === undefined ? [] : [Object.assign(row, { repository })];
    });
  }
}

// $1 is the account, $2 the repositories, $3 the text, $4 patterns, $5 the number, $6 how many to return, $7 the number
// of candidates of each kind in a repository. The index is searched for the longest word, which is probably the rarest.
// Without `offset 0`, PostgreSQL would scan all pull requests in the order of the result if no pull request has the
// word.
const statement = `
  with longest as materialized (select word collate "C" as word from search_words($3) word order by length(word) desc, word limit 1),
  candidate as materialized (
    select c.id from unnest($2::bigint[]) asked (id), lateral (
      (select p.id from pull_request p where p.account_id = $1 and p.repository_id = asked.id order by p.id desc limit $7)
      union
      (select w.pull_request_id from pull_request_word w
       where w.account_id = $1 and w.repository_id = asked.id
         and w.word >= (select word from longest) and w.word < (select word || chr(1114111) from longest) limit $7)
      union
      (select p.id from pull_request p where p.account_id = $1 and p.repository_id = asked.id and p.number = $5::integer)
    ) c)
  select f.* from candidate cross join lateral (
    select ${pullRequestColumns} from pull_request p
    where p.account_id = $1 and p.id = candidate.id
      and concat_ws(' ', '#' || p.number, p.title, p.author, p.head_branch) ilike all ($4::text[]) offset 0) f
  order by (f.number = $5::integer) desc nulls last, f.id desc limit $6::integer`;
