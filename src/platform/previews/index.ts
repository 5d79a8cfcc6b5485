// The kinds of sandboxes for previews: processes of the worker, and containers of a docker daemon.
import { createDockerSandboxes, type DockerOptions } from './docker.ts';
import { createProcessSandboxes } from './process.ts';
import type { ProcessOptions } from './process-life.ts';
import type { PreviewSandboxes } from './port.ts';

export { requestToSandbox } from './address.ts';
export {
  parseGatewayAddress,
  loopbackGateway,
  openPreviewGateway,
  type GatewayAddress,
  type PreviewGateway,
} from './gateway.ts';
export * from './port.ts';

export function createPreviewSandboxes(
  options: Omit<ProcessOptions, 'limits'> & Omit<DockerOptions, 'limits'>,
): readonly PreviewSandboxes[] {
  return [createProcessSandboxes(options), createDockerSandboxes(options)];
}
