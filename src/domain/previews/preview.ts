// The terms of previews: the statuses of a verification, and what a verification tests (interface 2.13).

export const verificationStatuses = [
  'pending',
  'waiting',
  'booting',
  'driving',
  'tearing_down',
  'passed',
  'failed',
  'skipped',
  'canceled',
  'error',
] as const;
export type VerificationStatus = (typeof verificationStatuses)[number];

export type VerificationCause = 'head' | 'registration' | 'asked';
export type Verdict = 'passed' | 'failed' | 'error';

export const previewImageKinds = ['docker', 'directory', 'command'] as const;
export type PreviewImageKind = (typeof previewImageKinds)[number];

export const sandboxStates = ['booting', 'ready', 'ending', 'gone'] as const;
export type SandboxState = (typeof sandboxStates)[number];

/** Variables that the service gives to a sandbox. No secret may have one of these names. */
export const givenVariables = [
  'PORT',
  'PREVIEW_URL',
  'PREVIEW_NAME',
  'PREVIEW_IMAGE',
  'WORKSPACE',
  'HEAD_SHA',
  'HEAD_BRANCH',
  'BASE_BRANCH',
  'PULL_REQUEST_NUMBER',
] as const;

export type GivenVariable = (typeof givenVariables)[number];

export function isGivenVariable(name: string): name is GivenVariable {
  return (givenVariables as readonly string[]).includes(name);
}

/** An entry of `verify.preview`, with its defaults. */
export type PreviewEntry =
  | {
      readonly method: 'sandbox';
      readonly name: string;
      readonly image: string;
      readonly port: number;
      readonly setup: string;
      readonly teardown: string | null;
      readonly secrets: readonly string[];
      readonly verifySkill: string;
    }
  | {
      readonly method: 'endpoint';
      readonly name: string;
      readonly waitTimeoutSec: number;
      readonly expiresDefaultSec: number;
      readonly verifySkill: string;
    };
