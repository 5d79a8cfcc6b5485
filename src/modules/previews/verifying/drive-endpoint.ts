// Drives the preview that CI registered, until it expires. It is neither made nor torn down here.
import { judgeSteps } from '../../../domain/previews/judge.ts';
import { openRegistration } from '../registrations/registrations.open.ts';
import type { SupervisedVerification, Ending } from './supervised-verification.ts';
import { whyStopped } from './stopped.ts';
import { driveApp } from './drive-app.ts';

export async function driveEndpoint(supervised: SupervisedVerification): Promise<Ending> {
  const { ctx, rows, verifying, log } = supervised;
  const { verification } = rows;
  const { preview, registrationId } = verification;
  if (preview?.method !== 'endpoint' || !registrationId) return { status: 'error', summary: 'No preview governs it.' };
  const registration = await openRegistration(ctx, verifying.secrets, registrationId);
  // Its time is over, or another registration replaced it. whyStopped reads which.
  if (registration === null) return await whyStopped(supervised);
  const { secrets, expiresAt } = registration;
  const leftMs = expiresAt.getTime() - ctx.clock().getTime();
  log.hide(Object.values(secrets));
  log.write(`[interlock] ${registration.url} is driven, which CI registered.\n`);
  const end = AbortSignal.timeout(leftMs);
  const driven = await driveApp(
    { ...supervised, signal: AbortSignal.any([supervised.signal, end]) },
    { target: { kind: 'endpoint', url: registration.url }, preview, secrets },
  );
  if (end.aborted && !supervised.signal.aborted) return await whyStopped(supervised);
  if (driven.kind === 'undrivable') return { status: 'error', summary: driven.words };
  const { verdict, summary } = judgeSteps(driven.steps);
  return { status: verdict, summary };
}
