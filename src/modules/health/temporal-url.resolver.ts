// Where the workflow of a row is in Temporal's UI.
import { Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.ts';
import { URI } from '../../graphql/scalars.ts';
import { Verification } from '../previews/verifications/verifications.types.ts';
import { Batch } from '../queue/api/batches.types.ts';
import { Queue } from '../queue/api/queue.types.ts';
import { Deployment } from '../releases/deployments.types.ts';
import { Runbook } from '../runbooks/runbooks.types.ts';

/** Nothing is read for it. */
const computed = { price: 1, once: 0 };
const unknown = 'Null: no UI is known (`TEMPORAL_UI_URL`).';

@Resolver(() => Queue)
export class QueueTemporalUrlResolver {
  @Extensions(computed)
  @FieldResolver(() => URI, {
    nullable: true,
    description: `Its workflow in Temporal's UI, which plans and lands. ${unknown}`,
  })
  temporalUrl(@Ctx() { accountId, temporal }: GraphQLContext, @Root() { id }: Queue): string | null {
    return temporal.urlOf({ accountId, queueId: id });
  }
}

@Resolver(() => Batch)
export class BatchTemporalUrlResolver {
  @Extensions(computed)
  @FieldResolver(() => URI, {
    nullable: true,
    description: `Its workflow in Temporal's UI, which builds it. ${unknown}`,
  })
  temporalUrl(@Ctx() { accountId, temporal }: GraphQLContext, @Root() { id }: Batch): string | null {
    return temporal.urlOf({ accountId, batchId: id });
  }
}

@Resolver(() => Deployment)
export class DeploymentTemporalUrlResolver {
  @Extensions(computed)
  @FieldResolver(() => URI, {
    nullable: true,
    description: `Its workflow in Temporal's UI; of a rollback that of the rollback, under which the deployment runs. In a preview it leads nowhere. ${unknown}`,
  })
  temporalUrl(@Ctx() { accountId, temporal }: GraphQLContext, @Root() { id, kind }: Deployment): string | null {
    return temporal.urlOf({ accountId, deploymentId: id, isRollback: kind === 'rollback' });
  }
}

@Resolver(() => Runbook)
export class RunbookTemporalUrlResolver {
  @Extensions(computed)
  @FieldResolver(() => URI, {
    nullable: true,
    description: `Its workflow in Temporal's UI, which plans and works its steps. ${unknown}`,
  })
  temporalUrl(@Ctx() { accountId, temporal }: GraphQLContext, @Root() { id }: Runbook): string | null {
    return temporal.urlOf({ accountId, runbookId: id });
  }
}

@Resolver(() => Verification)
export class VerificationTemporalUrlResolver {
  @Extensions(computed)
  @FieldResolver(() => URI, {
    nullable: true,
    description: `Its workflow in Temporal's UI, which boots, drives and takes down its preview. ${unknown}`,
  })
  temporalUrl(@Ctx() { accountId, temporal }: GraphQLContext, @Root() { id }: Verification): string | null {
    return temporal.urlOf({ accountId, verificationId: id });
  }
}
