import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { Node } from '../../graphql/node.ts';
import { DateTime, URI } from '../../graphql/scalars.ts';
import { RepositoryInput } from './repositories.types.ts';

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description:
    'A link that shows one queue to visitors without a session: on a screen, or as a badge. Its key is not kept.',
})
export class EmbedLink {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, { description: 'The base branch whose queue it shows.' })
  baseBranch!: string;

  @Field(() => String, {
    description: 'Email address of the user who made it. Visitors read as this user, with only the scope queue:read.',
  })
  createdBy!: string;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it stops working, at the latest.' })
  expiresAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When it was revoked, its user was removed, or the token that made it was revoked. Null while none of these happened.',
  })
  revokedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was last opened, to the minute. Null before.' })
  lastUsedAt!: Date | null;
}

@InputType({ description: 'A link to make.' })
export class CreateEmbedLinkInput {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => String, { description: 'The base branch whose queue it shows. The queue need not exist yet.' })
  baseBranch!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it stops working, within 730 days. Default: in 90 days.',
  })
  expiresAt?: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'What `createEmbedLink` answers.' })
export class CreateEmbedLinkPayload {
  @Field(() => EmbedLink, { description: "The link's record." })
  embedLink!: EmbedLink;

  @Field(() => URI, {
    description: 'The page of the queue, with its key. It is shown this once. The page changes by itself.',
  })
  url!: string;

  @Field(() => URI, { description: 'The same queue as a picture of one line (SVG), with the same key.' })
  badgeUrl!: string;
}

@InputType({ description: 'A link to revoke.' })
export class RevokeEmbedLinkInput {
  @Field(() => ID, { description: 'The link.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'What `revokeEmbedLink` answers.' })
export class RevokeEmbedLinkPayload {
  @Field(() => EmbedLink, { description: "The link's record." })
  embedLink!: EmbedLink;
}
