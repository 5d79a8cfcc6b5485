import { Field, ObjectType, registerEnumType } from 'type-graphql';
import type { PartName } from '../../domain/health/parts.ts';
import { DateTime, URI } from '../../graphql/scalars.ts';

const partNames = {
  DATABASE: 'database',
  TEMPORAL: 'temporal',
  WORKER: 'worker',
  CHECKS: 'checks',
  LANDINGS: 'landings',
  DEPLOYMENTS: 'deployments',
  BUILDS: 'builds',
  VERIFICATIONS: 'verifications',
  RUNBOOKS: 'runbooks',
  WEBHOOKS: 'webhooks',
  RETENTION: 'retention',
} as const satisfies Record<Uppercase<Exclude<PartName, 'invariants'>>, PartName>;
registerEnumType(partNames, {
  name: 'InstallationPartName',
  description: 'A part of the installation, or a kind of work that has a time limit of its own.',
  valuesConfig: {
    DATABASE: { description: 'PostgreSQL. Well while it answers.' },
    TEMPORAL: { description: 'Temporal. Well while it answers this server.' },
    WORKER: { description: 'The workers. Well while one of them asks Temporal for work.' },
    CHECKS: { description: 'Checks of the local host.' },
    LANDINGS: { description: 'Landings that have started.' },
    DEPLOYMENTS: { description: 'Deployments in progress.' },
    BUILDS: { description: 'Builds of release candidates.' },
    VERIFICATIONS: { description: 'Verifications in progress.' },
    RUNBOOKS: { description: 'Runbooks whose agent works.' },
    WEBHOOKS: { description: 'Deliveries of webhooks.' },
    RETENTION: { description: 'Deletions of what is old.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'Whether a part of the installation is well.' })
export class InstallationPart {
  @Field(() => partNames, { description: 'Which part.' })
  name!: PartName;

  @Field(() => Boolean, { description: 'Whether it does what is expected of it.' })
  well!: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Since when it is not well. Null while it is well, and where that is not known.',
  })
  since!: Date | null;

  @Field(() => String, { nullable: true, description: 'What is wrong, for people. Null while it is well.' })
  sentence!: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description: 'The installation that answers, as the server that answers sees it.',
})
export class Installation {
  @Field(() => String, { description: 'The version of Interlock, by Semantic Versioning.' })
  version!: string;

  @Field(() => URI, {
    nullable: true,
    description: "The workflows in Temporal's UI. Null: no UI is known (`TEMPORAL_UI_URL`).",
  })
  temporalUi!: string | null;

  @Field(() => [String], {
    description:
      'Public keys that sign proofs of landings, newest first: Ed25519, 64 hexadecimal digits each. Empty until the first proof is signed.',
  })
  proofKeys!: readonly string[];
}
