// Previews a configuration: whether it is accepted, which keys it changes, and what it does to the queues.
import type { Context } from '../../../context.ts';
import { parseConfiguration } from '../../../domain/configuration/index.ts';
import { changedKeys, type ChangedKey } from '../../../domain/configuration/changed-keys.ts';
import type { ParsedConfiguration } from '../../../domain/configuration/parse.ts';
import { hasScope, requireScope } from '../../accounts/index.ts';
import { loadRepository, writeConfiguration, type RepositoryName } from '../../repositories/index.ts';
import { configurationOf } from '../store/rules-in-force.ts';
import { dryRun, type QueueImpact } from '../planning/dry-run.ts';

export interface PreviewedConfiguration {
  readonly outcome: ParsedConfiguration;
  readonly changed: readonly ChangedKey[];
  /** Null: the configuration is refused, or the caller lacks queue:read, because an impact names pull requests. */
  readonly impacts: readonly QueueImpact[] | null;
}

/** Needs only the scope `config:read`, because nothing is written. */
export async function previewConfiguration(
  ctx: Context,
  { repository: name, yaml }: { readonly repository: RepositoryName; readonly yaml: string },
): Promise<PreviewedConfiguration> {
  requireScope(ctx, 'config:read');
  const repository = await loadRepository(ctx, name);
  const outcome = parseConfiguration(yaml);
  if (!outcome.ok) return { outcome, changed: [], impacts: null };
  const author = { email: ctx.actor.email };
  return {
    outcome,
    changed: changedKeys(configurationOf(repository), outcome.configuration),
    impacts: !hasScope(ctx, 'queue:read')
      ? null
      : await dryRun(
          ctx,
          repository.id,
          async (dryContext) => await writeConfiguration(dryContext, { repositoryId: repository.id, yaml, author }),
        ),
  };
}
