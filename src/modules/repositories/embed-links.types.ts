import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { Node } from '../../graphql/node.ts';
import { DateTime, URI } from '../../graphql/scalars.ts';
import { RepositoryInput } from './repositories.types.ts';

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description:
    'A link that shows one queue to visitors without a session: on a screen, or as a badge. Interlock does not store its key.',
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

  @Field(() => DateTime, { description: 'When it expires.' })
  expiresAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When it was revoked, its user was removed, or the token that made it was revoked. Null while none of these happened.',
  })
  revokedAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it was last opened, to the minute. Null: it was never opened.',
  })
  lastUsedAt!: Date | null;
}

@InputType({ description: 'A link to create.' })
export class CreateEmbedLinkInput {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => String, { description: 'The base branch whose queue it shows. The queue need not exist yet.' })
  baseBranch!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it expires, within 730 days. Default: in 90 days.',
  })
  expiresAt?: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `createEmbedLink`.' })
export class CreateEmbedLinkPayload {
  @Field(() => EmbedLink, { description: "The link's record." })
  embedLink!: EmbedLink;

  @Field(() => URI, {
    description:
      'The address of the page that shows the queue, with the key. It is shown only this once. The page updates itself.',
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

@ObjectType({ simpleResolvers: true, description: 'The result of `revokeEmbedLink`.' })
export class RevokeEmbedLinkPayload {
  @Field(() => EmbedLink, { description: "The link's record." })
  embedLink!: EmbedLink;
}
