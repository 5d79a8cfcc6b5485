/**
 * An error that stops a start or a program. Its message is one line that names the cause and what to do. It is shown
 * without a stack trace.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}
