// Installs OpenTelemetry's SDK. Only `openTracing` imports this file, and only if tracing is configured.
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';
import { idsOfNextSpan, setTracing } from './index.ts';

export interface SdkOptions {
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly attributes: Readonly<Record<string, string>>;
}

const random = new RandomIdGenerator();

/**
 * Starts tracing. The exporters read the endpoint, its headers and limits from variables OTEL_… themselves. Returns a
 * function that sends the last spans and stops tracing.
 */
export function startSdk({ protocol, attributes }: SdkOptions): () => Promise<void> {
  const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ ...attributes }),
    idGenerator: {
      generateTraceId: () => idsOfNextSpan()?.traceId ?? random.generateTraceId(),
      generateSpanId: () => idsOfNextSpan()?.spanId ?? random.generateSpanId(),
    },
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  setTracing(true);
  return async () => {
    setTracing(false);
    // A collector that does not answer must not make the exit of the process fail.
    await provider.shutdown().catch(() => {});
  };
}
