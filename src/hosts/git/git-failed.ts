/** git ran and did not do what it was asked. */
export class GitFailed extends Error {
  constructor(
    readonly command: string,
    /** Null when git was killed by a signal. */
    readonly exitCode: number | null,
    readonly stderr: string,
  ) {
    super(
      `git ${command} ${exitCode === null ? 'was killed' : `exited with ${exitCode}`}: ${stderr.trim().slice(0, 2000)}`,
    );
    this.name = 'GitFailed';
  }
}

export function unavailableWords(error: Error): string {
  return `git could not be run (${error.message}): is git on PATH, and the repository's directory in place?`;
}
