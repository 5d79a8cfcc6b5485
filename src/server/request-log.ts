// The log of a request, which adds the id of the request to each line. pino makes such a log by copying itself. Nearly no
// request writes a line, so the copy is made when a request writes its first line.
import type { FastifyBaseLogger } from 'fastify';
import type { Bindings, ChildLoggerOptions } from 'pino';

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
type Line = Parameters<FastifyBaseLogger['info']>;

export class RequestLog implements FastifyBaseLogger {
  readonly #log: FastifyBaseLogger;
  readonly #bindings: Bindings;
  readonly #options: ChildLoggerOptions;
  #copy: FastifyBaseLogger | undefined;

  constructor(log: FastifyBaseLogger, bindings: Bindings, options: ChildLoggerOptions) {
    this.#log = log;
    this.#bindings = bindings;
    this.#options = options;
  }

  #own(): FastifyBaseLogger {
    this.#copy ??= this.#log.child(this.#bindings, this.#options);
    return this.#copy;
  }

  #write(level: Level, line: readonly unknown[]): void {
    this.#own()[level](...(line as Line));
  }

  get level(): string {
    return this.#own().level;
  }
  set level(level: string) {
    this.#own().level = level;
  }
  fatal(...line: unknown[]): void {
    this.#write('fatal', line);
  }
  error(...line: unknown[]): void {
    this.#write('error', line);
  }
  warn(...line: unknown[]): void {
    this.#write('warn', line);
  }
  info(...line: unknown[]): void {
    this.#write('info', line);
  }
  debug(...line: unknown[]): void {
    this.#write('debug', line);
  }
  trace(...line: unknown[]): void {
    this.#write('trace', line);
  }
  silent(): void {}
  child(bindings: Bindings, options?: ChildLoggerOptions): FastifyBaseLogger {
    return this.#own().child(bindings, options);
  }
}
