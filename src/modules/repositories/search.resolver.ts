import { Arg, Ctx, Int, Query, Resolver } from 'type-graphql';
import { DomainError } from '../../domain/errors.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { requireScope } from '../accounts/index.ts';
import { filterSeen } from './host-access.ts';
import { loadRepository, readRepositories } from './repositories.reads.ts';
import { RepositoryInput } from './repositories.types.ts';
import { Search } from './search.types.ts';
import { wordsOf } from './search.words.ts';

const maxFound = 20;
/** The greatest number of repositories that one search reads. */
const maxRepositories = 50;

@Resolver(() => Search)
export class SearchResolver {
  @Query(() => Search, {
    description:
      'Finds pull requests, runbooks, environments and release candidates by words: in a repository, or in the first 50 of the account by owner and name. Needs queue:read; runbooks also runbook:write, environments and candidates release:read. Throws NOT_FOUND for an unknown repository, and BAD_INPUT for an empty text, for more than 200 characters and for more than 10 words.',
  })
  async search(
    @Ctx() ctx: GraphQLContext,
    @Arg('text', () => String, {
      description:
        'Words, in upper or lower case. `#12` is the pull request 12, or a runbook of that number. At most 200 characters and 10 words.',
    })
    text: string,
    @Arg('repository', () => RepositoryInput, {
      nullable: true,
      description:
        'The repository to search. Default: the first 50 repositories of the account by owner and name, as far as the caller may see them.',
    })
    repository: RepositoryInput | null,
    @Arg('first', () => Int, {
      nullable: true,
      defaultValue: 10,
      description: 'How many of each kind, 10 if not given, at most 20.',
    })
    first: number | null,
  ): Promise<Search> {
    requireScope(ctx, 'queue:read');
    const size = first ?? 10;
    if (size < 1 || size > maxFound)
      throw new DomainError('BAD_INPUT', `first must be between 1 and ${maxFound}`, 'first');
    return {
      text,
      words: wordsOf(text),
      first: size,
      repositories: repository
        ? [await loadRepository(ctx, repository)]
        : await filterSeen(ctx, await readRepositories(ctx, { size: maxRepositories - 1, offset: 0, after: null })),
    };
  }
}
