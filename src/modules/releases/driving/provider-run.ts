// The facts of a run that the provider receives. The key names the run: a provider that is triggered twice with one key
// starts one run.
import { encodeNodeId } from '../../../graphql/node-id.ts';
import type { ProviderSettings } from '../../../domain/releases/release.ts';
import { toHostedRepository } from '../../../hosts/port.ts';
import { ProviderRefused, type ProviderRun } from '../../../platform/providers/port.ts';
import type { Secrets } from '../../accounts/index.ts';
import { openSecret, type SecretOwner } from '../provider.settings.ts';
import type { CandidateRows, DeploymentRows } from './deployment.rows.ts';

/**
 * A run, or a refusal if the provider's secret cannot be decrypted. This is a refusal and no error, because a retry
 * would fail too, and deployments would wait for ever.
 */
export type RunOrRefusal = ProviderRun | ProviderRefused;

export function runOfDeployment(secrets: Secrets, rows: DeploymentRows): RunOrRefusal {
  const { environment, deployment, from } = rows;
  const { accountId } = deployment;
  const sealed = environment.providerSecret ?? null;
  const owner = { accountId, kind: 'environment', id: environment.id } as const;
  const secret = sealed === null ? null : opened(secrets, owner, sealed);
  if (secret instanceof ProviderRefused) return secret;
  return {
    accountId,
    // A deployment that takes the slot again starts another run.
    key: `deployment-${accountId}-${deployment.id}-${deployment.fence ?? 0}`,
    settings: environment.provider,
    secret,
    ...candidateOf(rows),
    facts: {
      ...factsOf(rows),
      deployment_id: encodeNodeId('Deployment', deployment.id),
      environment: environment.name,
      kind: deployment.kind,
      ...(from !== null && { from_release_version: from.releaseVersion, from_release_candidate_version: from.version }),
    },
  };
}

export function runOfBuild(secrets: Secrets, rows: CandidateRows, now: Date): RunOrRefusal {
  const { project, candidate } = rows;
  const { accountId } = candidate;
  const sealed = project.buildSecret ?? null;
  const owner = { accountId, kind: 'project', id: project.id } as const;
  const secret = sealed === null ? null : opened(secrets, owner, sealed);
  if (secret instanceof ProviderRefused) return secret;
  return {
    accountId,
    key: `build-${accountId}-${candidate.id}`,
    settings: withinBuildTime(rows, now),
    secret,
    ...candidateOf(rows),
    facts: { ...factsOf(rows), release_candidate_id: encodeNodeId('ReleaseCandidate', candidate.id) },
  };
}

function opened(secrets: Secrets, owner: SecretOwner, sealed: Uint8Array): string | ProviderRefused {
  try {
    return openSecret(secrets, owner, Buffer.from(sealed));
  } catch (error) {
    return new ProviderRefused('The secret of the provider was encrypted with another key. Set the secret again.', {
      cause: error,
    });
  }
}

/** Limits a command to the remaining time of the build, so that its message says which limit it has exceeded. */
function withinBuildTime({ project, candidate }: CandidateRows, now: Date): ProviderSettings {
  const settings = project.buildProvider ?? { kind: 'none' };
  if (settings.kind !== 'command') return settings;
  const leftMs = candidate.createdAt.getTime() + project.buildTimeoutSec * 1000 - now.getTime();
  return { ...settings, timeoutSec: Math.max(1, Math.min(settings.timeoutSec, Math.ceil(leftMs / 1000))) };
}

function candidateOf({ candidate, repository }: CandidateRows): Pick<ProviderRun, 'repository' | 'commit'> {
  return { repository: toHostedRepository(repository), commit: candidate.commit };
}

function factsOf({ project, candidate, releaseVersion }: CandidateRows): Record<string, string> {
  return { project: project.name, release_version: releaseVersion, release_candidate_version: candidate.version };
}
