import { ArgsType, Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { scopes, type Role, type Scope } from '../../context.ts';
import { Node } from '../../graphql/node.ts';
import { DateTime, TimeZone } from '../../graphql/scalars.ts';
import type { TokenKind } from './tokens.ts';

const scopeNames = Object.fromEntries(scopes.map((scope) => [scope.toUpperCase().replace(':', '_'), scope]));
registerEnumType(scopeNames, {
  name: 'Scope',
  description:
    "What a token may do: `QUEUE_READ` is the scope queue:read. The role of the token's user limits the scopes that have an effect (interface 5.7).",
  valuesConfig: {
    QUEUE_READ: { description: 'Reads pull requests, queues, batches, proofs, events and verifications.' },
    QUEUE_WRITE: {
      description: 'Queues, dequeues and changes pull requests. Includes QUEUE_READ.',
    },
    QUEUE_PAUSE: { description: 'Pauses repositories and base branches.' },
    CONFIG_READ: { description: 'Reads configurations and their history.' },
    CONFIG_WRITE: {
      description: 'Replaces configurations, sets defaults of runbooks and grants permissions. Includes CONFIG_READ.',
    },
    ANALYTICS_READ: { description: 'Reads statistics.' },
    AUDIT_READ: { description: 'Reads the audit log of what users did.' },
    RELEASE_READ: { description: 'Reads releases, environments, deployments and their logs.' },
    RELEASE_WRITE: {
      description:
        'Makes release projects, environments and candidates, and freezes environments and base branches. Includes RELEASE_READ.',
    },
    DEPLOY_WRITE: {
      description: 'Starts, cancels and reports deployments, and rolls environments back. Includes RELEASE_READ.',
    },
    RUNBOOK_WRITE: { description: 'Creates and reads runbooks, and sends follow-up prompts.' },
    PREVIEW_REGISTER: { description: 'Registers previews that CI built, and deregisters them.' },
    ADMIN: {
      description:
        'Manages repositories, users, teams, tokens, webhooks, and images and secrets of previews. Halts and resumes queues. Includes QUEUE_READ.',
    },
  },
});

export const roles = { ADMIN: 'admin', MAINTAINER: 'maintainer', MEMBER: 'member' } as const satisfies Record<
  Uppercase<Role>,
  Role
>;
registerEnumType(roles, {
  name: 'Role',
  description: "What a user may do in the account. The role limits the scopes of the user's tokens.",
  valuesConfig: {
    MEMBER: {
      description:
        'Reads everything except the audit log, queues pull requests, creates runbooks and registers previews.',
    },
    MAINTAINER: {
      description: 'Does everything that a member may do. Also pauses, configures, releases, freezes and deploys.',
    },
    ADMIN: { description: 'May do everything.' },
  },
});

const tokenKinds = { ACCOUNT: 'account', USER: 'user' } as const satisfies Record<Uppercase<TokenKind>, TokenKind>;
registerEnumType(tokenKinds, {
  name: 'ApiTokenKind',
  description: 'Whether a token acts as the account or as a user.',
  valuesConfig: {
    ACCOUNT: { description: "The account's service user. A token of this kind can sign webhooks." },
    USER: { description: 'A user. Users make tokens for themselves, and admins make tokens for other users.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A tenant. Every object belongs to one account.' })
export class Account {
  @Field(() => String, { description: 'The name of the account.' })
  name!: string;

  @Field(() => String, { description: 'The plan of the account.' })
  plan!: string;

  @Field(() => String, { description: 'The time zone in which the days of analytics begin, by its IANA name.' })
  timezone!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The session of a browser.' })
export class Session {
  @Field(() => DateTime, { description: 'When the browser signed in.' })
  startedAt!: Date;

  @Field(() => DateTime, {
    description:
      'When the session ends if the browser does not use it again: 12 hours after its last use, 7 days after its start, or when its token expires, whichever is first.',
  })
  expiresAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: 'The user who sends the request.' })
export class Viewer {
  @Field(() => String, { nullable: true, description: 'Email address of the acting user.' })
  email!: string | null;

  @Field(() => String, { nullable: true, description: 'Handle on the code host. Null when none is linked.' })
  handle!: string | null;

  @Field(() => String, {
    description:
      'The name on pull requests that the user opens: the linked handle, otherwise a part of the email address and a number, such as `service~1`.',
  })
  author!: string;

  @Field(() => roles, { description: 'Role of the acting user.' })
  role!: Role;

  @Field(() => [scopeNames], { description: 'What the token or the session may do.' })
  scopes!: Scope[];
}

@ObjectType({ implements: Node, simpleResolvers: true, description: 'A token, without its secret.' })
export class ApiToken {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, { description: 'The name of the token.' })
  name!: string;

  @Field(() => tokenKinds, { description: 'Whether the token acts as the account or as a user.' })
  kind!: TokenKind;

  @Field(() => [scopeNames], { description: 'What the token may do.' })
  scopes!: readonly Scope[];

  @Field(() => Boolean, {
    description: "Whether the account's webhooks are signed with this token. Exactly one token signs them.",
  })
  signsWebhooks!: boolean;

  @Field(() => String, { description: 'Email address of the user the token acts as.' })
  userEmail!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it expires. Null: it is valid until it is revoked.' })
  expiresAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was revoked. Null: it was not.' })
  revokedAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it was last used, to the minute. Null: it was never used.',
  })
  lastUsedAt!: Date | null;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;
}

export const mostTokens = 100;

@ArgsType()
export class TokensArgs {
  @Field(() => Int, {
    nullable: true,
    defaultValue: mostTokens,
    description: `How many tokens are returned, ${mostTokens} if not given, at most ${mostTokens}.`,
  })
  first!: number | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The last token of the list before. The list continues after this token. Null: the newest tokens.',
  })
  after?: string | null;
}

@InputType({ description: 'A token to create.' })
export class CreateApiTokenInput {
  @Field(() => String, { description: 'The name, at most 100 characters.' })
  name!: string;

  @Field(() => [scopeNames], {
    description: 'What the new token may do. The token or session in use must have all these scopes.',
  })
  scopes!: Scope[];

  @Field(() => tokenKinds, {
    defaultValue: 'user',
    description: 'Whether the new token acts as the account or as a user.',
  })
  kind!: TokenKind;

  @Field(() => DateTime, { nullable: true, description: 'When it expires. Left out: it is valid until it is revoked.' })
  expiresAt?: Date | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'The user the new token acts as. Only an admin may name a user. Default: the user who makes the token.',
  })
  user?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `createApiToken`.' })
export class CreateApiTokenPayload {
  @Field(() => ApiToken, { description: "The token's record." })
  apiToken!: ApiToken;

  @Field(() => String, { description: 'The token itself. It is shown this once and stored nowhere.' })
  token!: string;
}

@InputType({ description: 'A token to revoke.' })
export class RevokeApiTokenInput {
  @Field(() => ID, { nullable: true, description: 'The token. Left out: the token in use.' })
  id?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The account token that signs webhooks from now on. Required if the revoked token signs them.',
  })
  successor?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `revokeApiToken`.' })
export class RevokeApiTokenPayload {
  @Field(() => ApiToken, { description: "The token's record." })
  apiToken!: ApiToken;
}

@InputType({ description: 'The time zone of the account.' })
export class SetAccountTimezoneInput {
  @Field(() => TimeZone, { description: 'The name of the time zone in the IANA database.' })
  timezone!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `setAccountTimezone`.' })
export class SetAccountTimezonePayload {
  @Field(() => Account, { description: 'The account as it is now.' })
  account!: Account;
}

@InputType({ description: 'A link that signs a browser in.' })
export class CreateSignInLinkInput {
  @Field(() => String, {
    nullable: true,
    description:
      'The path that the browser opens after the sign-in, such as `/acme/shop/queue/main`. Default: the first page.',
  })
  next?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `createSignInLink`.' })
export class CreateSignInLinkPayload {
  @Field(() => String, { description: 'The link. It works once, and is stored nowhere.' })
  url!: string;

  @Field(() => DateTime, { description: 'When the link stops working.' })
  expiresAt!: Date;
}

@InputType({ description: 'Which sessions to end.' })
export class EndSessionInput {
  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Whether all sessions of the user end. Default: only the one in use.',
  })
  everywhere!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `endSession`.' })
export class EndSessionPayload {
  @Field(() => Boolean, { description: 'Always true: the session has ended.' })
  ended!: boolean;
}
