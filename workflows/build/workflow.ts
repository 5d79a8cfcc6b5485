// The workflow of the build of a release candidate: start the build at its provider, and follow it until it is ready or
// has failed. The row says what is needed next, so that a run that is lost or started twice changes nothing.
import { drivenWorkflow, type DrivenResult } from '../shared/driven.ts';
import { buildAttributes } from '../shared/search-attributes.ts';
import { buildLookSignal, type BuildInput } from './messages.ts';

const drive = drivenWorkflow('Build', { signal: buildLookSignal, attributes: buildAttributes, failures: ['failed'] });

export async function build(input: BuildInput): Promise<DrivenResult> {
  return await drive(input);
}
