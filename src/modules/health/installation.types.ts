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
    DATABASE: { description: 'PostgreSQL. It is well while it answers.' },
    TEMPORAL: { description: 'Temporal. It is well while it answers this server.' },
    WORKER: { description: 'The workers. They are well while at least one of them polls Temporal.' },
    CHECKS: { description: 'Checks of the local host.' },
    LANDINGS: { description: 'Landings that have started.' },
    DEPLOYMENTS: { description: 'Deployments in progress.' },
    BUILDS: { description: 'Builds of release candidates.' },
    VERIFICATIONS: { description: 'Verifications in progress.' },
    RUNBOOKS: { description: 'Runbooks whose agent works.' },
    WEBHOOKS: { description: 'Deliveries of webhooks.' },
    RETENTION: { description: 'Deletions of old rows.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'Whether a part of the installation is well.' })
export class InstallationPart {
  @Field(() => partNames, { description: 'The name of the part.' })
  name!: PartName;

  @Field(() => Boolean, { description: 'Whether the part works as expected.' })
  well!: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the part stopped being well. Null: the part is well, or the time is not known.',
  })
  since!: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'What is wrong, in a sentence for people. Null: the part is well.',
  })
  sentence!: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description: 'The installation of Interlock, as the answering server sees it.',
})
export class Installation {
  @Field(() => String, { description: 'The version of Interlock, by Semantic Versioning.' })
  version!: string;

  @Field(() => URI, {
    nullable: true,
    description: "The address of the workflows in Temporal's UI. Null: `TEMPORAL_UI_URL` is not set.",
  })
  temporalUi!: string | null;

  @Field(() => [String], {
    description:
      'Public keys that sign proofs of landings, newest first: Ed25519, 64 hexadecimal digits each. Empty until the first proof is signed.',
  })
  proofKeys!: readonly string[];
}
