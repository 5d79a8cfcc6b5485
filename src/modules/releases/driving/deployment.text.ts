// The text about a deployment that the Temporal UI shows at its workflow: what is deployed, where, by which user, and
// why the deployment waits.
import { plain, section } from '../../../domain/markdown.ts';
import type { DeploymentStep, ProviderCall, Step } from '../../../domain/releases/drive.ts';
import { describeFreeze, type FreezeInForce } from '../../../domain/releases/freeze.ts';
import type { ProviderSettings } from '../../../domain/releases/release.ts';
import type { Transaction } from '../../../platform/database.ts';
import { readLogTail } from '../../../platform/log-pieces.ts';
import { ownerOf } from '../logs/run-log.ts';
import type { DeploymentRows } from './deployment.rows.ts';

export interface DeploymentSummary {
  readonly repository: string;
  /** `<project>/<environment>`. */
  readonly environment: string;
  readonly version: string;
  readonly status: string;
  /** The candidate and the environment, in one line. */
  readonly title: string;
  /** Markdown. */
  readonly details: string;
}

type Left = Exclude<DeploymentStep, { kind: 'become' | 'take_slot' }>;

interface Reasons {
  readonly freeze: FreezeInForce | null;
  /** The version of the deployment that has the slot. Null: no other deployment has the slot. */
  readonly holder: string | null;
}

export async function describeDeployment(
  tx: Transaction,
  rows: DeploymentRows,
  reasons: Reasons & { readonly step: Left },
): Promise<DeploymentSummary> {
  const { project, environment, deployment, candidate, repository, from } = rows;
  const verb = deployment.kind === 'rollback' ? 'roll back to' : 'deploy';
  const lines = [
    `**${project.name} ${environment.name}**: ${verb} \`${candidate.version}\`: **${deployment.status}**${afterComma(deployment.errorMessage)}`,
    '',
    `- next: ${stepText(reasons.step, { rows, ...reasons })}`,
    `- commit \`${candidate.commit}\` of ${repository.owner}/${repository.name}`,
    ...(from === null ? [] : [`- from \`${from.version}\``]),
    `- requested by ${deployment.actor} at ${deployment.createdAt.toISOString()}${deployment.forced ? ', even if the environment is frozen' : ''}`,
    `- provider: ${providerText(environment.provider)}${runText(deployment)}`,
    ...problemText(deployment),
    ...timeText('started', deployment.deployStartAt),
    ...timeText('ended', deployment.deployEndAt),
    ...section('End of the log', await readLogTail(tx, deployment.accountId, ownerOf({ deploymentId: deployment.id }))),
  ];
  return {
    repository: `${repository.owner}/${repository.name}`,
    environment: `${project.name}/${environment.name}`,
    version: candidate.version,
    status: deployment.status,
    title: `${candidate.version} → ${environment.name} of ${project.name}`,
    details: lines.join('\n'),
  };
}

/** The next step of the deployment, or what it waits for. */
export function stepText(step: Left, { rows, freeze, holder }: Reasons & { readonly rows: DeploymentRows }): string {
  const name = rows.environment.name;
  switch (step.kind) {
    case 'ended':
      return 'nothing, because the deployment has ended';
    case 'call':
      return callText[step.call];
    case 'supervise':
      return 'run the command';
    case 'wait':
      if (step.for === 'turn')
        return holder === null
          ? `wait in line for ${name}`
          : `wait until the deployment of \`${holder}\` to ${name} has ended`;
      if (step.for === 'freeze') return freeze === null ? '' : `wait: ${name} is ${describeFreeze(freeze)}`;
      return waitText(step);
  }
}

export const callText: Readonly<Record<ProviderCall, string>> = {
  trigger: 'trigger the provider',
  read: 'ask the provider for the status',
  cancel: 'ask the provider to cancel',
};

/** The text about a wait. */
export function waitText(step: Extract<Step<string>, { kind: 'wait' }>): string {
  const until = step.until === null ? '' : ` until ${new Date(step.until).toISOString()} at most`;
  switch (step.for) {
    case 'report':
      return `wait for a report${until}`;
    case 'call':
      return step.until === null
        ? 'call the provider again'
        : `call the provider again at ${new Date(step.until).toISOString()}`;
    case 'lease':
      return 'the command runs';
    // The page of a deployment shows what the deployment waits for.
    case 'turn':
    case 'freeze':
      return 'wait in line';
  }
}

export function providerText(provider: ProviderSettings): string {
  switch (provider.kind) {
    case 'none':
      return 'none: reports set the status';
    case 'command':
      return 'a command in the sandbox';
    case 'http':
      return `POST to ${new URL(provider.url).host}`;
    case 'github_actions':
      return `workflow ${provider.workflow}`;
  }
}

interface Called {
  readonly triggeredAt?: Date | null | undefined;
  readonly providerRun?: string | null | undefined;
  readonly problem?: string | null | undefined;
  readonly calls: number;
}

export function runText({ triggeredAt, providerRun }: Called): string {
  if (!triggeredAt) return '';
  return `, triggered at ${triggeredAt.toISOString()}${providerRun ? `, run \`${providerRun}\`` : ''}`;
}

export function problemText({ problem, calls }: Called): string[] {
  return problem ? [`- last call failed, attempt ${calls}: ${plain(problem)}`] : [];
}

export function timeText(label: string, at: Date | null | undefined): string[] {
  return at ? [`- ${label} at ${at.toISOString()}`] : [];
}

export function afterComma(message: string | null | undefined): string {
  return message ? `, ${plain(message)}` : '';
}
