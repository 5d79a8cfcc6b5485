import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { Node } from '../../graphql/node.ts';
import { DateTime, URI } from '../../graphql/scalars.ts';
import { RepositoryInput } from './repositories.types.ts';

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description:
    'A link that shows one queue to visitors without a session: on a screen, or as a badge. Interlock does not store the key of the link.',
})
export class EmbedLink {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, { description: 'The base branch whose queue the link shows.' })
  baseBranch!: string;

  @Field(() => String, {
    description:
      'Email address of the user who made the link. Visitors read as this user, with only the scope queue:read.',
  })
  createdBy!: string;

  @Field(() => DateTime, { description: 'When the link was made.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When the link expires.' })
  expiresAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the link was revoked, its user was removed, or the token that made the link was revoked. Null: none of these has happened.',
  })
  revokedAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the link was last opened, to the minute. Null: it was never opened.',
  })
  lastUsedAt!: Date | null;
}

@InputType({ description: 'A link to create.' })
export class CreateEmbedLinkInput {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => String, { description: 'The base branch whose queue the link shows. The queue need not exist yet.' })
  baseBranch!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the link expires, within 730 days. Default: in 90 days.',
  })
  expiresAt?: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `createEmbedLink`.' })
export class CreateEmbedLinkPayload {
  @Field(() => EmbedLink, { description: "The link's record." })
  embedLink!: EmbedLink;

  @Field(() => URI, {
    description:
      'The address of the page that shows the queue, with the key. The address is shown only this once. The page updates itself.',
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
