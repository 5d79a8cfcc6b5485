// The address of a row's workflow in Temporal's UI.
import { Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.ts';
import { URI } from '../../graphql/scalars.ts';
import { Verification } from '../previews/verifications/verifications.types.ts';
import { Batch } from '../queue/api/batches.types.ts';
import { Queue } from '../queue/api/queue.types.ts';
import { Deployment } from '../releases/deployments.types.ts';
import { Runbook } from '../runbooks/runbooks.types.ts';

/** The fields are computed without a read. */
const computed = { price: 1, once: 0 };
const withoutUi = 'Null: `TEMPORAL_UI_URL` is not set.';

@Resolver(() => Queue)
export class QueueTemporalUrlResolver {
  @Extensions(computed)
  @FieldResolver(() => URI, {
    nullable: true,
    description: `The address of the queue's workflow in Temporal's UI. The workflow plans and lands. ${withoutUi}`,
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
    description: `The address of the batch's workflow in Temporal's UI. The workflow builds the batch. ${withoutUi}`,
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
    description: `The address of the deployment's workflow in Temporal's UI. For a rollback, this is the workflow of the rollback, which runs the deployment. After a dry run, there is no workflow at this address. ${withoutUi}`,
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
    description: `The address of the runbook's workflow in Temporal's UI. The workflow plans the steps and carries them out. ${withoutUi}`,
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
    description: `The address of the verification's workflow in Temporal's UI. The workflow boots, tests and tears down the preview. ${withoutUi}`,
  })
  temporalUrl(@Ctx() { accountId, temporal }: GraphQLContext, @Root() { id }: Verification): string | null {
    return temporal.urlOf({ accountId, verificationId: id });
  }
}
