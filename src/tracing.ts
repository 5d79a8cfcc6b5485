// Starts tracing if the environment variables of OpenTelemetry name a collector.
import { StartError } from './launcher/start-error.ts';
import { readVersion } from './platform/project-root.ts';

type Stop = () => Promise<void>;

/**
 * Returns a function that sends the last spans and stops tracing. If no endpoint is configured, the SDK is not loaded.
 */
export async function openTracing(env: NodeJS.ProcessEnv, part: string): Promise<Stop> {
  const isWanted = [env['OTEL_EXPORTER_OTLP_ENDPOINT'], env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']].some(Boolean);
  if (!isWanted || env['OTEL_SDK_DISABLED'] === 'true') return async () => {};
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? env['OTEL_EXPORTER_OTLP_PROTOCOL'] ?? 'http/protobuf';
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    throw new StartError(
      `OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json, not ${protocol}. Collectors take both at port 4318.`,
    );
  const { startSdk } = await import('./platform/tracing/sdk.ts');
  const attributes = {
    'service.name': env['OTEL_SERVICE_NAME'] ?? `interlock-${part}`,
    'service.version': readVersion(),
  };
  return startSdk({ protocol, attributes });
}
