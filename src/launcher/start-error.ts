/** What stops a start. Its message is one line that names the cause and the cure, and is shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
