// The facts of a run for its provider. Its key names the run: triggered twice, it is one run.
import { encodeNodeId } from '../../../graphql/node-id.ts';
import type { ProviderSettings } from '../../../domain/releases/release.ts';
import { ProviderRefused, type ProviderRun } from '../../../platform/providers/port.ts';
import type { Secrets } from '../../accounts/index.ts';
import { openSecret, type SecretOwner } from '../provider.settings.ts';
import type { CandidateRows, DeploymentRows } from './deployment.rows.ts';

/** Refused: its secret cannot be opened. A retry could not open it either, and the environment would wait for ever. */
export type RunOrRefusal = ProviderRun | ProviderRefused;

export function runOfDeployment(secrets: Secrets, rows: DeploymentRows): RunOrRefusal {
  const { environment, deployment, from } = rows;
  const { accountId } = deployment;
  const sealed = environment.providerSecret ?? null;
  const owner = { accountId, of: 'environment', id: environment.id } as const;
  const secret = sealed === null ? null : opened(secrets, owner, sealed);
  if (secret instanceof ProviderRefused) return secret;
  return {
    accountId,
    // A deployment that took the slot once more is another run.
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
  const owner = { accountId, of: 'project', id: project.id } as const;
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
    return new ProviderRefused('The secret of its provider was kept under another key: set it again.', {
      cause: error,
    });
  }
}

/**
 * The command ends when the time of the build is over, because nobody looks at the clock while the command is
 * supervised.
 */
function withinBuildTime({ project, candidate }: CandidateRows, now: Date): ProviderSettings {
  const settings = project.buildProvider ?? { kind: 'none' };
  if (settings.kind !== 'command') return settings;
  const leftMs = candidate.createdAt.getTime() + project.buildTimeoutSec * 1000 - now.getTime();
  return { ...settings, timeoutSec: Math.max(1, Math.min(settings.timeoutSec, Math.ceil(leftMs / 1000))) };
}

function candidateOf({ candidate, repository }: CandidateRows): Pick<ProviderRun, 'repository' | 'commit'> {
  const { accountId, id, owner, name, host } = repository;
  return { repository: { accountId, id, owner, name, host }, commit: candidate.commit };
}

function factsOf({ project, candidate, releaseVersion }: CandidateRows): Record<string, string> {
  return { project: project.name, release_version: releaseVersion, release_candidate_version: candidate.version };
}
