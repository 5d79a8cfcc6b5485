import type { Ports } from '../../src/context.ts';
import {
  advanceVerification,
  carryOutVerification,
  type Verifying,
  type VerificationAdvance,
} from '../../src/modules/previews/index.ts';
import { createDrivenActivities } from '../shared/activities.ts';
import type { DrivenActivities } from '../shared/driven.ts';
import type { VerificationInput } from './messages.ts';

export type { VerificationAdvance };
export type VerificationActivities = DrivenActivities<'Verification', VerificationInput, VerificationAdvance>;

export function createVerificationActivities(ports: Ports, verifying: Verifying): VerificationActivities {
  return createDrivenActivities(ports, verifying, {
    kind: 'Verification',
    idOf: ({ verificationId }: VerificationInput) => verificationId,
    advance: advanceVerification,
    carryOut: carryOutVerification,
  });
}
