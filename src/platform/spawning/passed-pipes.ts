// The streams of a program whose pipes the spawner passes on to this process. They are made before the pipes arrive.
import type { Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';

export class PassedPipes {
  /** By descriptor. Null: the pipe never arrives. */
  readonly #awaited = new Map<number, (pipe: Socket | null) => void>();
  readonly #arrived = new Set<Socket>();
  #isHeld = true;

  input(): Writable {
    let input: Socket | null = null;
    return new Writable({
      construct: (done) => {
        this.#awaited.set(0, (pipe) => {
          input = pipe;
          done();
        });
      },
      write: (chunk: Buffer, _, done) => {
        if (input === null) done(new Error('the program has ended'));
        else input.write(chunk, done);
      },
      final: (done) => {
        if (input === null) done();
        else input.end(done);
      },
      destroy: (error, done) => {
        input?.destroy();
        done(error);
      },
    });
  }

  output(descriptor: number): Readable {
    let source: Socket | null = null;
    const output = new Readable({
      construct: (done) => {
        this.#awaited.set(descriptor, (pipe) => {
          source = pipe;
          if (pipe === null) output.push(null);
          pipe?.on('data', (chunk: Buffer) => void (output.push(chunk) || pipe.pause()));
          pipe?.once('close', () => output.push(null));
          done();
        });
      },
      read: () => void source?.resume(),
      destroy: (error, done) => {
        source?.destroy();
        done(error);
      },
    });
    return output;
  }

  /** Null: the pipe has closed already. */
  take(descriptor: number, pipe: Socket | null): void {
    if (pipe !== null) {
      pipe.on('error', () => {});
      this.#arrived.add(pipe.once('close', () => this.#arrived.delete(pipe)));
      if (!this.#isHeld) pipe.unref();
    }
    this.#awaited.get(descriptor)?.(pipe);
    this.#awaited.delete(descriptor);
  }

  /** Lets this process exit while the pipes are open, or not. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    for (const pipe of this.#arrived) pipe[isHeld ? 'ref' : 'unref']();
  }

  /** Ends the streams. */
  close(): void {
    for (const arrive of this.#awaited.values()) arrive(null);
    this.#awaited.clear();
    for (const pipe of this.#arrived) pipe.destroy();
  }
}
